/** A script that starts runs on a rig by a token of its owner. */
import { owner } from '../processes/hub-process'
import { RunCaller } from '../wire/run-caller'
import { type Rig, scriptOf } from './rig'

export async function callerOf(rig: Rig): Promise<RunCaller> {
  const { password } = owner
  const made = await rig.rest.makeToken({ name: 'CI', scopes: ['operate', 'read'], ttlDays: 1, password })
  return new RunCaller(() => rig.system.hub.url, made.token)
}

export type RunsOfRig = Awaited<ReturnType<typeof runsOf>>

/** With requests for its one machine and the scripted program. */
export async function runsOf(rig: Rig) {
  const caller = await callerOf(rig)
  const agentId = (await rig.rest.agents()).items[0]?.agentId ?? ''
  const request = (steps: readonly object[], more: object = {}) => ({
    agentId,
    backend: 'scripted',
    workDir: rig.system.workDir,
    prompt: scriptOf(steps),
    ...more,
  })
  return { caller, agentId, request }
}
