# docker build -t refbridge . && docker run -p 3000:3000 -v refbridge-data:/app/data refbridge
# Podman needs --format docker, because the OCI format has no health check.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

# not `npm prune` after each build: it takes a minute, and images of two versions would share nothing
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# without the list of them, which names the version of Refbridge
RUN npm ci --omit=dev && rm node_modules/.package-lock.json

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/dist ./dist
# so that `docker exec <container> refbridge doctor` works, and hints can be copied
RUN chmod +x dist/src/cli/index.js && ln -s /app/dist/src/cli/index.js /usr/local/bin/refbridge \
  && mkdir -m 0700 data && chown node:node data
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/src/cli/index.js"]
CMD ["serve"]
