import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AuditItem, CommandBody } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { deedOf, nameOf, sessionOf, shownFacts } from './audit-words'

const item = (change: Partial<AuditItem>): AuditItem => ({
  id: 1,
  at: 1,
  actorId: 'u_1',
  actorName: 'Ana',
  action: 'prompt.send',
  object: 'ses_1',
  outcome: 'ok',
  address: '::1',
  detail: null,
  hash: '',
  ...change,
})

const core = join(import.meta.dirname, '../../core')
/** The actions that the core writes into the log by their names: `entryOf(actor, 'login.end')`. */
const written = readdirSync(core, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(join(core, name), 'utf8').matchAll(/\b(entryOf|refusalOf)\(\s*[^',]+,\s*'([a-z_]+\.[a-z_]+)'/g),
  ])
  .map(([, maker, action = '']) => ({ action, outcome: maker === 'entryOf' ? ('ok' as const) : ('refused' as const) }))

describe('a row of the audit log', () => {
  it('has words for every action that the core names', () => {
    expect(written.length).toBeGreaterThan(20)
    expect(written.filter((one) => deedOf(item(one)).includes(one.action))).toEqual([])
  })

  it('has words for every command, which is written under its own kind', () => {
    const kinds = CommandBody.options.map(({ shape }) => shape.kind.value)
    expect(kinds.filter((action) => deedOf(item({ action })) === action)).toEqual([])
  })

  it('says who did what, and whether it was refused', () => {
    expect([nameOf(item({})), deedOf(item({}))]).toEqual(['Ana', 'sent a prompt'])
    const refused = item({ actorId: 'stranger', actorName: '', action: 'login.begin', outcome: 'refused' })
    expect([nameOf(refused), deedOf(refused)]).toEqual(['Unknown', 'failed to sign in'])
    expect(deedOf(item({ action: 'later.thing' }))).toBe('later.thing')
  })

  it('[AUTH-3] of a machine that calls itself like a person is no row of that person', () => {
    expect(nameOf(item({ actorId: 'agent:agt_1', actorName: 'Ana' }))).toBe('The machine “Ana”')
  })

  it('[PERM-2] tells an answered question from an action that ran otherwise than it was asked', () => {
    const applied = (facts: object) =>
      item({ action: 'permission.applied', object: 'r1', detail: JSON.stringify({ sessionId: 'ses_2', ...facts }) })
    const answered = applied({ effectiveInput: '{"answers":{"Which?":"Red"}}' })
    expect(deedOf(answered)).toBe('reported an answered question')
    expect(shownFacts(answered, new Map())).toContainEqual(['question and answer', '{"answers":{"Which?":"Red"}}'])
    expect(deedOf(applied({ askedInput: '{"command":"ls"}', effectiveInput: '{"command":"ls -l"}' }))).toBe(
      'ran an action with a different input than it asked for',
    )
  })

  it('[PERM-2.4] says that an approved plan was approved, and in which mode the session continues', () => {
    const detail = JSON.stringify({ sessionId: 'ses_2', mode: 'acceptEdits' })
    const plan = item({ action: 'permission.applied', object: 'r1', detail })
    expect(deedOf(plan)).toBe('reported an approved plan')
    expect(shownFacts(plan, new Map())).toContainEqual(['continues in mode', 'acceptEdits'])
    expect(deedOf({ ...plan, action: 'permission.outcome_unknown' })).toBe(
      'reported an approved plan; whether the program has the approval is unknown',
    )
  })

  it('leads to the session that it is about', () => {
    expect(sessionOf(item({}))).toBe('ses_1')
    expect(sessionOf(item({ object: 'r1', detail: '{"sessionId":"ses_2"}' }))).toBe('ses_2')
    expect(sessionOf(item({ object: 'u_2' }))).toBeNull()
  })

  it('shows what the sentence does not say, with names for ids; what is no JSON as it stands', () => {
    const names = new Map([['u_2', 'Ben']])
    const decided = item({ object: 'r1', detail: '{"decision":"allow","edited":true,"sessionId":"ses_2"}' })
    expect(shownFacts(decided, names)).toEqual([
      ['on', 'r1'],
      ['decision', 'allow'],
      ['edited', 'yes'],
    ])
    expect(shownFacts(item({ detail: '{"commandId":"c","edited":false}' }), names)).toEqual([])
    expect(
      shownFacts(item({ detail: '{"requireApproval":false,"budgetTokens":9,"topics":["a","b"]}' }), names),
    ).toEqual([
      ['machines need approval', 'no'],
      ['budget tokens', '9'],
      ['topics', '["a","b"]'],
    ])
    expect(shownFacts(item({ object: 'u_2' }), names)).toEqual([['on', 'Ben']])
    const shared = item({ object: 'u_2', detail: '{"role":"viewer","agents":"a_1 a_2"}' })
    expect(shownFacts(shared, new Map([...names, ['a_1', 'tower'], ['a_2', 'attic box']]))).toEqual([
      ['on', 'Ben'],
      ['role', 'viewer'],
      ['machines', 'tower, attic box'],
    ])
    expect(shownFacts(item({ object: null, detail: '{' }), names)).toEqual([['detail', '{']])
  })
})
