import type { HubOnlyEvent, SessionEvent } from '@roundhouse/backend-types'
import { allGoldenEvents, goldenEvents } from '@roundhouse/backend-types/fixtures'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { buildItems } from './build-items'
import type { Item, ItemOf } from './items'

const seenAll = (events: Array<SessionEvent | HubOnlyEvent | null>): SeenEvent[] =>
  events.map((event, index) => ({
    seq: index + 1,
    at: 1_000 * index,
    storedAt: 0,
    v: 1,
    kind: event?.kind ?? 'hologram',
    event,
  }))

const toolsOf = (items: Item[]) => items.filter((item): item is ItemOf<'tool'> => item.type === 'tool')

describe('buildItems', () => {
  it('shows something for every golden event, in log order', () => {
    const items = buildItems(seenAll(allGoldenEvents))
    expect(items.map((item) => item.seq)).toEqual(items.map((item) => item.seq).sort((a, b) => a - b))
    expect(new Set(items.map((item) => item.type))).toEqual(
      new Set(['user', 'assistant', 'thinking', 'tool', 'plan', 'marker', 'turn_end']),
    )
  })

  it('pairs a call with its result and its permission by callId', () => {
    const [call, result] = [goldenEvents.tool_use[1] as SessionEvent, goldenEvents.tool_result[1] as SessionEvent]
    const items = buildItems(
      seenAll([call, goldenEvents.permission_requested[0], goldenEvents.permission_resolved[0], result]),
    )
    expect(items).toHaveLength(1)
    expect(toolsOf(items)[0]?.tool).toMatchObject({
      state: 'failed',
      permission: 'Allowed by Ana',
      startedAt: 0,
      endedAt: 3_000,
    })
  })

  it('keeps an open ask at its place until it is resolved', () => {
    const items = buildItems(seenAll([goldenEvents.permission_requested[0]]))
    expect(items.map((item) => item.type)).toEqual(['ask'])
  })

  it('nests what a sub-agent did under the call that started it', () => {
    const agent: SessionEvent = { kind: 'tool_use', callId: 'call_agent', toolName: 'Agent', input: { prompt: 'look' } }
    const items = buildItems(seenAll([agent, goldenEvents.assistant_text[3] as SessionEvent]))
    expect(items).toHaveLength(1)
    expect(toolsOf(items)[0]?.tool.children.map((child) => child.type)).toEqual(['assistant'])
  })

  it('[RES-2] marks a call that the program never finished as interrupted', () => {
    const call: SessionEvent = { kind: 'tool_use', callId: 'call_4', toolName: 'Bash', input: {} }
    const items = buildItems(seenAll([call, goldenEvents.tool_result[3] as SessionEvent]))
    expect(toolsOf(items)[0]?.tool.state).toBe('interrupted')
  })

  it('shows a result whose call lies on an older page', () => {
    const items = buildItems(seenAll([goldenEvents.tool_result[0]]))
    expect(toolsOf(items)[0]?.tool.state).toBe('done')
  })

  it('[BAD-2] [BAD-3] shows what could not be read instead of hiding it', () => {
    const tombstone: HubOnlyEvent = {
      kind: 'tombstone',
      code: 'MALFORMED_FRAME',
      path: 'text',
      bytes: 12,
      sha256: 'a'.repeat(64),
    }
    const items = buildItems(seenAll([tombstone, null]))
    expect(items.map((item) => item.type)).toEqual(['unsupported', 'unsupported'])
  })

  it('[LOG-2] shows a gap with its range', () => {
    const [item] = buildItems(seenAll([goldenEvents.gap[0]]))
    expect(item).toMatchObject({
      type: 'marker',
      marker: { tone: 'failed', text: expect.stringContaining('12 to 40') },
    })
  })
})
