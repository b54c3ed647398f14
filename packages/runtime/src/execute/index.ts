/** `AgentRuntime.execute` over any adapter. */
export * from './agent-runtime'
export * from './channel-bridge'
export type { Answer, RuntimeOptions } from './execution'
export * from './run-news'
