/** The result of a run as its caller gets it. Pure. */
import type { AgentDeliveryResult, AgentRunResult, McpSideEffects } from '@roundhouse/backend-types'

/** `error`: a sentence for people, where the run has an `errorSubtype`. */
export function deliveryOf(run: AgentRunResult, mcp: McpSideEffects, error?: string): AgentDeliveryResult {
  const { text, errorSubtype } = run
  const told = errorSubtype === undefined ? undefined : error || `The run ended: ${errorSubtype}.`
  return { payloads: text ? [{ text }] : [], run, mcp, ...(told === undefined ? {} : { error: told }) }
}
