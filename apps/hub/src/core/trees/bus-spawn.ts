/** `cmd.<session>.spawn`: an orchestrator starts a session below another one, with the rights of its person (TREE-3.5). */
import { CodedError, treeInputs } from '@roundhouse/backend-types'
import type { Reads } from '../ports/stores'
import type { CommandSession } from '../sessions/bus-commands'
import { findAsking } from './asking'
import type { TreeVerbs } from './tree-verbs'

export function createBusSpawn(deps: {
  reads: Pick<Reads, 'sessions' | 'trees'>
  treeVerbs: TreeVerbs
}): CommandSession {
  return async (actor, { sessionId, data, key }) => {
    const asking = await findAsking(deps.reads, sessionId)
    if (!asking) throw new CodedError('SESSION_NOT_FOUND')
    const { mission: prompt, name: title, model, backend, machine, workDir } = data
    const input = treeInputs.spawn.parse({ prompt, title, backend, machine, workDir })
    return deps.treeVerbs.spawnAs(asking, actor, { ...input, ...(typeof model === 'string' ? { model } : {}) }, key)
  }
}
