/** Codex as a backend of Roundhouse. */
export { createCodexAdapter } from './adapter'
export { removeStrayMounts } from './program/stray-mounts'
