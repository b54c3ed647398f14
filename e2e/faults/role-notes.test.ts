/** The notes of a role, on real processes: which the program got, and what a hub or a hostile folder cannot make it get. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { RoleNotes } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAll } from '../support/accounts/ledger'
import { receivedWith } from '../support/accounts/received'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
let notes: string
beforeAll(async () => {
  rig = await startRig()
  notes = path.join(freshFolder('notes'), 'notes')
  for (const folder of ['', 'tester', '../secret'])
    mkdirSync(path.join(notes, folder), { recursive: true, mode: 0o755 })
  allow({ notes })
  put('tester/flaky.md', 'A flaky test waits on time.')
  put('../secret/key.md', 'SECRET')
})
afterAll(() => rig.dispose())

const put = (name: string, text: string) => writeFileSync(path.join(notes, name), text, { mode: 0o644 })
const allow = (more: object) =>
  rig.system.agent.writePolicy({
    roots: [rig.system.workDir],
    backends: { scripted: {} },
    envAllow: [...rig.system.around.envAllow],
    ...more,
  })

async function told(sessionId: string, count = 1): Promise<RoleNotes[]> {
  return until('the notes to be told', async () => {
    const found = (await readAll(rig.rest, sessionId))
      .map(({ body }) => JSON.parse(body))
      .flatMap(({ subtype, data }) => (subtype === 'role_notes' ? [RoleNotes.parse(data)] : []))
    return found.length >= count && found
  })
}

describe('[POL-6] the notes of a role', () => {
  it('[POL-6.1] [POL-6.3] reach the program, and the hub learns their names and sizes, not their text', async () => {
    const sessionId = await rig.begin([{ text: 'About a flaky test.' }], { roleId: 'tester' })
    expect(await told(sessionId)).toEqual([{ roleId: 'tester', notes: [{ name: 'flaky.md', bytes: 27 }], leftOut: [] }])
    expect(receivedWith(rig.system.agent.home, 'About a flaky test.')?.system).toContain('A flaky test waits on time.')
    const rows = await rig.agree(sessionId)
    expect(JSON.stringify(rows)).not.toContain('waits on time')
  })

  it('[POL-6.7] are not those of a role that leads out of the folder: the hub refuses it, and names the field', async () => {
    for (const roleId of ['../secret', 'tester/../../secret', '/secret']) {
      await expect(rig.begin([{ text: 'Never.' }], { roleId })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('roleId'),
      })
    }
  })

  it('[POL-6.4] [POL-6.5] are not what a link leads to, and only the beginning of 10 MB', async () => {
    mkdirSync(path.join(notes, 'hostile'), { mode: 0o755 })
    symlinkSync(path.join(notes, '../secret/key.md'), path.join(notes, 'hostile/key.md'))
    symlinkSync(path.join(notes, '../secret'), path.join(notes, 'spy'))
    put('hostile/large.md', `Large note ${'x'.repeat(70_000)}`)
    truncateSync(path.join(notes, 'hostile/large.md'), 10_000_000)
    const first = await rig.begin([{ text: 'Hostile.' }], { roleId: 'hostile' })
    expect(await told(first)).toEqual([
      {
        roleId: 'hostile',
        notes: [{ name: 'large.md', bytes: 10_000_000, cut: true }],
        leftOut: [{ name: 'key.md', why: 'it leads out of the folder of notes' }],
      },
    ])
    const { system } = await until('the program', () => receivedWith(rig.system.agent.home, 'Hostile.'))
    expect(system).not.toContain('SECRET')
    expect(system.length).toBeLessThan(17_000)
    const second = await rig.begin([{ text: 'Spy.' }], { roleId: 'spy' })
    expect((await told(second))[0]?.problem).toContain('outside the folder of notes')
    expect((await until('the program', () => receivedWith(rig.system.agent.home, 'Spy.'))).system).toBe('')
  })

  it('[POL-6.2] [POL-6.3] [POL-6.6] are those of the policy at each start; a session runs without them and says why', async () => {
    const sessionId = await rig.begin([{ text: 'Unknown.' }], { roleId: 'nobody' })
    expect(await told(sessionId)).toMatchObject([{ problem: 'The folder of notes for nobody is not there.' }])
    const places = [
      [{ notes: path.join(notes, 'gone') }, 'The folder of notes is not there.'],
      [{ notes: path.join(notes, 'tester/flaky.md') }, 'The folder of notes for nobody is not there.'],
      [{ notes: rig.system.workDir }, 'The folder of notes overlaps a folder of sessions'],
      [{}, 'The policy of this machine names no folder of notes.'],
    ] as const
    let starts = 1
    for (const [policy, problem] of places) {
      allow(policy)
      await until(problem, async () => {
        await rig.rest.endProcess(sessionId)
        await rig.prompt(sessionId, [{ text: 'Again.' }])
        starts += 1
        return (await told(sessionId, starts)).at(-1)?.problem?.includes(problem)
      })
    }
    allow({ notes })
  })
})
