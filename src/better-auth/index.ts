export { type NewUser, type RefbridgePlugin, type RefbridgePluginOptions, refbridge, type SignUp } from './plugin.ts';
