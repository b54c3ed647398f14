import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OlderHost, slotOf } from '../testing/older-host'
import type { LaunchMode } from './slot-ports'

const state: HostState = {
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 3,
  status: { status: 'idle' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
}

let folder: string
let host: OlderHost
let launched: LaunchMode[]
let reaped: string[]
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  launched = []
  reaped = []
  host = new OlderHost(state)
  await host.listen(path.join(folder, 'h.sock'))
})
afterEach(async () => {
  await host.close()
  rmSync(folder, { recursive: true })
})

async function attachedSlot(patience?: { answerMs: number; leaveMs: number }) {
  const slot = slotOf(
    folder,
    {
      launch: (_id, mode) => {
        launched.push(mode)
        throw new Error('nothing is to be started here')
      },
      reap: async (sessionId) => void reaped.push(sessionId),
      beginErasing: () => {},
      erase: async () => {},
    },
    patience,
  )
  await slot.adopt()
  expect(slot.attached).not.toBeNull()
  return slot
}

describe('[CMD-8] [FLOW-3] a host that is asked to leave', () => {
  it('and does not answer, as a frozen one, stays, and keeps nobody waiting for it', async () => {
    const slot = await attachedSlot({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('stop')
    expect(await slot.stop('idle')).toBe(false)
    expect(slot.attached).not.toBeNull()
    expect(reaped).toEqual([])
    slot.release()
  })

  it('and is still there when its time is over, is ended, and gives its place back', async () => {
    const slot = await attachedSlot({ answerMs: 20_000, leaveMs: 0 })
    expect(slot.place).toBe(true)
    expect(await slot.stop('idle')).toBe(true)
    expect(reaped).toEqual(['s1'])
    expect({ place: slot.place, state: slot.state, attached: slot.attached }).toEqual({
      place: false,
      state: null,
      attached: null,
    })
    slot.release()
  })

  it('for good and does not answer, is ended: its session can be erased', async () => {
    const slot = await attachedSlot({ answerMs: 0, leaveMs: 0 })
    host.silentTo.add('stop')
    await slot.erase()
    expect(reaped).toEqual(['s1', 's1'])
  })
})

describe('[SES-3] a session that was erased', () => {
  it('is not begun anew by what still waited for its turn', async () => {
    const slot = await attachedSlot({ answerMs: 0, leaveMs: 0 })
    const erased = slot.erase()
    const later = [
      slot.adopt(),
      slot.prune({ keepMs: 1, keepBytes: 1, backlogBytes: 1 }),
      slot.mend(),
      slot.rebase({ held: 1, to: 2 }, 'e1', 'log'),
    ]
    await erased
    const ends = await Promise.allSettled(later)
    expect(launched).toEqual([])
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    await expect(slot.host()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(launched).toEqual([])
  })
})
