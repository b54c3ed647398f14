/** What the real Gemini CLI would run without asking: the host judges each command, and reads by name what the policy denies. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'

const missing = await missingReason('gemini')

let rig: Rig
beforeAll(async () => {
  if (missing !== null) return
  rig = await startRig({ kind: 'gemini' })
  const { workDir, agent } = rig.system
  mkdirSync(path.join(workDir, 'secret'))
  writeFileSync(path.join(workDir, 'secret/key.txt'), 'the-hidden-word')
  writeFileSync(path.join(workDir, 'open.txt'), 'the-open-word')
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  agent.writePolicy({ ...policy, denyPaths: [path.join(workDir, 'secret')] })
})
afterAll(() => rig?.dispose())

describe.skipIf(missing !== null)('[POL-1] [PERM-10] gemini, where the policy denies a folder', () => {
  it('runs a command that only reads the session’s files unasked, and gives the model nothing of what is denied', async () => {
    const shell = (command: string) => ({ tool: 'run_shell_command', input: { command, description: 'Look' } })
    const steps = [shell('cat open.txt'), shell('cat secret/key.txt'), shell('grep -r hidden .'), { text: 'Seen.' }]
    const sessionId = await rig.begin(steps)
    const asked = new Set<string>()
    await until('the end of the turn', async () => {
      const { session, events } = await rig.rest.snapshot(sessionId)
      for (const { ask, outcome } of session.requests) {
        if (outcome !== 'open' || asked.has(ask.requestId)) continue
        asked.add(ask.requestId)
        await rig.rest.decide(ask.requestId, { decision: 'deny', digest: ask.digest })
      }
      return events.some(({ kind }) => kind === 'turn_completed')
    })
    const given = JSON.stringify(rig.system.around.asked())
    expect(given).toContain('the-open-word')
    expect(given).not.toContain('the-hidden-word')
    // Nobody is asked about the file that is denied by name.
    expect(asked.size).toBe(1)
  })
})
