/** A machine that joined a hub and never connects: only the hub has its sessions. */
import { rmSync } from 'node:fs'
import { freshFolder } from '../common/paths'
import { AgentProcess } from '../processes/agent-process'
import type { System } from '../processes/system'

/** Resolves to its agent id. */
export async function absentMachine({ hub }: System, name = 'away'): Promise<string> {
  const { rest, close } = await hub.client()
  const made = await rest.makeEnrollmentToken({ name })
  const home = freshFolder('agent')
  const machine = new AgentProcess(home, {})
  await machine.join(hub, name, { token: made.token, fingerprint: made.hubKeyFingerprint, url: made.hubUrl })
  rmSync(home, { recursive: true, force: true })
  const agent = (await rest.agents()).items.find((one) => one.name === name)
  close()
  if (!agent) throw new Error(`${name} did not join`)
  return agent.agentId
}
