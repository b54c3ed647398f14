import { createHash } from 'node:crypto'
import { script } from '@roundhouse/adapter-scripted'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'
import { unendedTurns } from './unended-turns'

const started = (turnId: string) => JSON.stringify({ kind: 'turn_started', turnId, trigger: 'backend' })
const ended = (turnId: string) => JSON.stringify({ kind: 'turn_completed', turnId, reason: 'completed' })
const gap = JSON.stringify({ kind: 'gap', from: 1, to: 2, reason: 'rebase' })

describe('turns without an end', () => {
  it('are those that nothing ended, in their order, and none from before a gap', () => {
    const open = (...bodies: string[]) => unendedTurns(bodies).map(({ turnId }) => turnId)
    expect(open(started('t1'), started('t2'), ended('t2'), started('t3'))).toEqual(['t1', 't3'])
    expect(open(started('t1'), gap, started('t2'))).toEqual(['t2'])
    expect(open(started('t1'), ended('t1'))).toEqual([])
  })
})

describe('a log in which a host of an earlier version could not write the end of a turn', () => {
  let world: HostWorld
  beforeEach(async () => {
    world = await HostWorld.create()
  })
  afterEach(() => world.dispose())

  const close = () => world.start({ mode: 'close' }).exited

  it('[LOG-7.5] gets that end from the next host, once', async () => {
    const host = await world.open()
    await host.run(world.create({}, script([{ text: 'One.' }])))
    await host.run(world.prompt(script([{ text: 'Two.' }])))
    await host.client.stop('shutdown')
    await host.gone()
    const [first] = world.of('turn_started')
    const db = new Database(world.files.log)
    const body = JSON.stringify({ kind: 'system', subtype: 'unreadable_output', data: { message: 'usage' } })
    const hash = createHash('sha256').update(body).digest('hex')
    const row = `(SELECT min(seq) FROM events WHERE kind = 'turn_completed')`
    db.prepare(`UPDATE events SET kind = 'system', body = ?, hash = ? WHERE seq = ${row}`).run(body, hash)
    db.prepare(`DELETE FROM meta WHERE key = 'turnsEndedTo'`).run()
    db.close()

    await close()
    await close()
    const ends = world.of('turn_completed').map(({ turnId, reason }) => ({ turnId, reason }))
    expect(ends).toEqual([
      { turnId: expect.any(String), reason: 'completed' },
      { turnId: first?.turnId, reason: 'outcome_unknown' },
    ])
  })
})
