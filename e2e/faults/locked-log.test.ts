/** Another program on the machine keeps the log of one session locked, as a person does who looks into it and changes something. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf } from '../support/accounts/ledger'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
let other: Database.Database | undefined
afterEach(async () => {
  other?.close()
  await rig.dispose()
})

describe('the log of a session that another program keeps locked', () => {
  it('[FLOW-4.11] [PERM-1] holds up that session alone; a decision and a prompt of that time arrive by themselves, once', async () => {
    rig = await startRig()
    const { agent, hub } = rig.system
    // Each its own file: an answer about one that changed meanwhile would not count.
    const asks = (file: string) => [{ tool: 'Write', input: { file_path: file, content: 'x' } }, { text: 'Over.' }]
    const held = await rig.begin(asks('held.txt'))
    const ask = await rig.asked(held)
    const neighbour = await rig.begin(asks('neighbour.txt'))
    const neighbourAsk = await rig.asked(neighbour)

    other = new Database(path.join(agent.sessionFolder(held), 'log.db'))
    other.exec('BEGIN IMMEDIATE')
    await rig.allow(ask)
    await rig.prompt(held, [{ text: 'Next.' }])
    await until('the machine to have met the lock', () => /has locked the log of this session/.test(agent.output))
    const [request] = (await rig.rest.snapshot(held, 1)).session.requests
    expect(request).toMatchObject({ decision: { answer: 'allow' }, outcome: 'open' })
    expect(request?.decision?.commandState).not.toBe('done')

    await rig.allow(neighbourAsk)
    await rig.agree(neighbour)
    await rig.agree(await rig.begin([{ text: 'New.' }]))
    const [machine] = (await rig.rest.agents()).items
    expect(machine).toMatchObject({ online: true })
    expect(machine?.disk).toBeUndefined()

    other.exec('ROLLBACK')
    await until('both turns', async () => {
      const { events } = await rig.rest.events(held, { limit: 500 })
      return events.filter(({ kind }) => kind === 'turn_completed').length === 2
    })
    const log = eventsOf(await rig.agree(held))
    expect(log.filter(({ kind }) => kind === 'permission_resolved')).toHaveLength(1)
    expect(hub.output).not.toMatch(/unexpected error/)
  })
})
