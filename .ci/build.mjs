// `npm run build`: writes the published JavaScript to dist/, together with the files that it reads at runtime.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
for (const path of ['src/storage/migrations', 'src/web', 'fixtures']) cpSync(path, `dist/${path}`, { recursive: true });
