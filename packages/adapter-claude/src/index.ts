/** Claude Code, driven over its stream-json dialogue. */
export { type ClaudeAdapterOptions, createClaudeAdapter } from './adapter'
