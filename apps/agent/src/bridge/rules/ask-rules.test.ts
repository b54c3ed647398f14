import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { InputShape } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../policy/policy'
import { type AskPlace, ruleAgainstUpdates, ruleOn } from './ask-rules'
import type { MachineRules } from './create-rules'
import { allowsCall, checkedAnswer, refusedHook } from './hook-rules'

const shape: InputShape = { kind: 'command', command: 'command', plainWith: [] }
let root: string
let place: AskPlace
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'rh-asks-')))
  writeFileSync(path.join(root, 'open.txt'), 'open')
  writeFileSync(path.join(root, 'secret.txt'), 'secret')
  symlinkSync('secret.txt', path.join(root, 'link.txt'))
  const denyPaths = [path.join(root, 'secret.txt')]
  const rules: MachineRules = { ...defaultPolicy(), roots: [root], denyPaths, denyTools: ['WebFetch'], paused: false }
  place = { workDir: root, folders: [root], rules }
})
afterAll(() => rmSync(root, { recursive: true }))

const byOwnRules = { anything: false, edits: false, commands: [], asks: [] }
const command = (text: string, rules = {}) => ({
  callId: 'c',
  toolName: 'Bash',
  input: { command: text },
  meta: { byOwnRules: { ...byOwnRules, ...rules } },
  shape,
})
const rule = (request: Parameters<typeof ruleOn>[0], byHook = false) => ruleOn(request, place, byHook)

describe('[POL-1.5] a request of a program', () => {
  it('for a denied tool, or by any name for a denied file, is forbidden without asking the client', () => {
    expect(rule({ callId: 'c', toolName: 'WebFetch', input: {} })).toEqual({ kind: 'forbidden', rule: 'denyTools' })
    expect(rule(command('cat link.txt'))).toEqual({ kind: 'forbidden', rule: 'denyPaths' })
    expect(rule(command('cat secret.txt'), true)).toEqual({ kind: 'forbidden', rule: 'denyPaths' })
  })

  it('[PERM-10] for a command that only reads needs nobody; for one that writes it needs the client', () => {
    expect(rule(command('cat open.txt'))).toEqual({ kind: 'allow' })
    expect(rule(command('echo hi > new.txt'))).toEqual({ kind: 'ask' })
  })

  it('[PERM-11] for a command that the client had allowed beforehand, or by a hook, needs nobody', () => {
    expect(rule(command('npm test', { commands: ['npm test'] }))).toEqual({ kind: 'allow' })
    expect(rule(command('npm publish'), true)).toEqual({ kind: 'allow' })
  })

  it('for the answers of a form is declined: the document has no way to give them', () => {
    const meta = { answerFields: { field: 'content' as const, names: ['name'] } }
    expect(rule({ callId: 'c', toolName: 'mcp__a__elicitation', input: {}, meta })).toEqual({ kind: 'decline' })
  })
})

describe('changes of the program’s own rules', () => {
  it.each([
    ['a mode that never asks', [{ type: 'setMode', mode: 'bypassPermissions' }], 'allowBypassPermissions'],
    ['a folder outside of the roots', [{ type: 'addDirectories', directories: ['/etc'] }], 'roots'],
    ['folders that are none', [{ type: 'addDirectories', directories: [7] }], 'roots'],
    ['a rule for this session', [{ type: 'addRules', rules: [{ toolName: 'Bash' }] }], null],
    ['another mode', [{ type: 'setMode', mode: 'acceptEdits' }], null],
  ])('%s: %j', (_what, updates, expected) => {
    expect(ruleAgainstUpdates(updates, place)).toBe(expected)
  })
})

describe('[POL-1.5] a hook of the client', () => {
  const call = (event: string, file: string) => ({
    event,
    input: { tool_name: 'Read', tool_input: { file_path: path.join(root, file) } },
  })

  it('is not asked about a call that the policy forbids', () => {
    expect(refusedHook(call('PreToolUse', 'link.txt'), place)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    })
    expect(refusedHook(call('PermissionRequest', 'secret.txt'), place)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny' } },
    })
    expect(refusedHook(call('PreToolUse', 'open.txt'), place)).toBeNull()
    expect(refusedHook({ event: 'Stop', input: {} }, place)).toBeNull()
  })

  it('cannot turn a call into one that the policy forbids', () => {
    const updatedInput = { file_path: path.join(root, 'secret.txt') }
    const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput } }
    expect(checkedAnswer(call('PreToolUse', 'open.txt'), answer, place)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    const harmless = { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: {} } }
    expect(checkedAnswer(call('PreToolUse', 'open.txt'), harmless, place)).toBe(harmless)
  })

  it('that allows a call before it is asked about spares the question', () => {
    const allow = { hookSpecificOutput: { permissionDecision: 'allow' } }
    expect(allowsCall({ event: 'PreToolUse' }, allow)).toBe(true)
    expect(allowsCall({ event: 'PreToolUse' }, { decision: 'approve' })).toBe(true)
    expect(allowsCall({ event: 'PreToolUse' }, {})).toBe(false)
    expect(allowsCall({ event: 'PostToolUse' }, allow)).toBe(false)
  })
})
