/** Programs that speak the Agent Client Protocol as backends of Roundhouse. */
export { createAcpAdapter } from './adapter'
export { profiles } from './profiles'
export type { AcpProgram } from './program/program'
