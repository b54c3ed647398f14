/** What a program of a run asks. The machine's policy comes first, as for a session of the bridge; then a person, or nobody. */
import { type BackendAdapter, inputShapeOf, type PermissionRequest } from '@roundhouse/backend-types'
import type { Answer } from '@roundhouse/runtime/execute'
import { type AskPlace, ruleOn } from '../bridge/rules/ask-rules'

export interface RunAskPorts {
  adapter: Pick<BackendAdapter, 'inputShapes'>
  /** As the machine stands now. */
  place(): AskPlace
  /** Null: nobody is here. */
  asker: { ask(request: PermissionRequest, withdrawn: AbortSignal): Promise<Answer> } | null
}

export async function answerAsk(
  request: PermissionRequest,
  withdrawn: AbortSignal,
  { adapter, place, asker }: RunAskPorts,
): Promise<Answer> {
  const shape = inputShapeOf(adapter.inputShapes, request.toolName)
  const ruling = ruleOn({ ...request, shape }, place(), false)
  switch (ruling.kind) {
    case 'forbidden':
      return { decision: 'deny', reason: `The policy of this machine forbids it (${ruling.rule}).` }
    case 'allow':
      return { decision: 'allow' }
    case 'decline':
      return { decision: 'deny', reason: 'A form cannot be answered here.' }
    case 'ask':
      return asker?.ask(request, withdrawn) ?? { decision: 'deny', reason: 'Nobody is here to allow it.' }
  }
}
