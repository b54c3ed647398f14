import { describe, expect, it } from 'vitest'
import type { CommandBody } from '../session/commands'
import {
  needsCapability,
  type ProgramFacts,
  unsupportedCommand,
  unsupportedField,
  unsupportedSettings,
} from './unsupported'

const able: ProgramFacts = {
  label: 'Able',
  capabilities: {
    supportsMessageInjection: true,
    supportsSessionResume: true,
    emitsSubagentEvents: true,
    supportsReasoningEffort: true,
    acceptsAllowedToolsList: true,
    acceptsMcpServerSpec: true,
    supportsInterrupt: true,
    acceptsImages: true,
    acceptsImagesAlone: true,
  },
}
const plain: ProgramFacts = {
  label: 'Plain',
  capabilities: {
    supportsMessageInjection: false,
    supportsSessionResume: false,
    emitsSubagentEvents: false,
    acceptsFolders: false,
    limitsOutput: false,
  },
  accepted: {
    models: [],
    modes: [{ code: 'ask' }, { code: 'edit', sandboxes: ['workspace-write'] }],
    sandboxes: ['read-only', 'workspace-write'],
    thinking: [],
  },
}
const where = { backend: 'plain', workDir: '/w' }
const image = { imageId: 'i', mediaType: 'image/png', bytes: 1, sha256: 'a'.repeat(64) } as const
const prompt = { kind: 'prompt.send', promptId: 'p', text: 'look' } as const

const refused = (body: CommandBody, present = {}) => unsupportedCommand(plain, body, present)?.toBody()
const create = (settings: object): CommandBody => ({ kind: 'session.create', settings: { ...where, ...settings } })

describe('what a program cannot do', () => {
  it.each<[string, CommandBody, object]>([
    ['a thinking level', create({ thinking: 'high' }), { capability: 'reasoning_effort', field: 'thinking' }],
    ['a list of tools', create({ allowedTools: ['Read'] }), { capability: 'accepts_allowed_tools_list' }],
    ['a list of denied tools', create({ disallowedTools: ['Bash'] }), { field: 'disallowedTools' }],
    ['MCP servers', create({ mcpConfigPath: '/m' }), { capability: 'accepts_mcp_server_spec' }],
    ['further folders', create({ additionalDirs: ['/x'] }), { capability: 'folders', field: 'additionalDirs' }],
    ['a resume by itself', create({ autoResume: true }), { capability: 'session_resume', field: 'autoResume' }],
    ['a model', create({ model: 'opus' }), { capability: 'model', field: 'model', value: 'opus' }],
    ['a mode', create({ mode: 'yolo' }), { capability: 'mode', field: 'mode', value: 'yolo' }],
    ['a sandbox', create({ sandbox: 'full-access' }), { capability: 'sandbox', value: 'full-access' }],
    ['a change of the mode', { kind: 'session.configure', changes: { mode: 'yolo' } }, { capability: 'mode' }],
    ['a steer', { ...prompt, steer: true }, { capability: 'message_injection' }],
    ['an image', { ...prompt, images: [image] }, { capability: 'images' }],
    ['another mode for one turn', { ...prompt, override: { mode: 'yolo' } }, { capability: 'mode' }],
    ['an interrupt', { kind: 'turn.interrupt', turnId: 't' }, { capability: 'interrupt' }],
    ['a resume', { kind: 'session.resume' }, { capability: 'session_resume' }],
  ])('[CAP-2.1] is refused with the capability that it needs: %s', (_what, body, details) => {
    expect(refused(body)).toMatchObject({ code: 'UNSUPPORTED', retryable: false, details })
    expect(needsCapability(body)).toBe(true)
    const accepted = { ...plain.accepted, models: ['opus'], modes: [{ code: 'yolo' }] }
    expect(unsupportedCommand({ ...able, accepted: { modes: accepted.modes } }, body)).toBeNull()
  })

  it.each<[string, CommandBody]>([
    ['a plain prompt', prompt],
    ['a stop', { kind: 'session.stop' }],
    ['the end of a program', { kind: 'process.end' }],
    ['a decision', { kind: 'permission.decide', requestId: 'r', procId: 'p', decision: 'deny', digest: 'd' }],
    ['a change of the queue', { kind: 'queue.release' }],
  ])('[CAP-2.2] never holds up %s', (_what, body) => {
    expect(needsCapability(body)).toBe(false)
    expect(refused(body)).toBeUndefined()
  })

  it('[CAP-2.3] the limit of an answer is never refused', () => {
    expect(refused(create({ maxOutputTokens: 16_000 }))).toBeUndefined()
  })

  it('asks for nothing where a value asks for nothing', () => {
    expect(refused(create({ allowedTools: [], additionalDirs: [], autoResume: false, mode: 'ask' }))).toBeUndefined()
    expect(refused({ kind: 'session.resume', fresh: true })).toBeUndefined()
  })

  it('[CAP-2.4] is not guessed where only the program knows its values', () => {
    expect(unsupportedSettings(able, { model: 'of-tomorrow', mode: 'any', thinking: 'most' })).toBeNull()
  })

  it('[CAP-2.5] settings that do not go together are refused when one of them changes, and then only', () => {
    const present = { mode: 'edit', sandbox: 'workspace-write' } as const
    const change = { kind: 'session.configure', changes: { sandbox: 'read-only' } } as const
    expect(refused(change, present)).toMatchObject({
      message: 'Plain does not run the mode "edit" in the sandbox "read-only".',
      details: { capability: 'sandbox', field: 'sandbox', value: 'read-only' },
    })
    expect(refused({ ...change, changes: { sandbox: 'read-only', mode: 'ask' } }, present)).toBeUndefined()
    expect(refused({ ...prompt, override: { mode: 'edit' } }, { sandbox: 'read-only' })).toMatchObject({
      details: { field: 'mode', value: 'edit' },
    })
    expect(refused({ kind: 'session.configure', changes: { autoResume: false } }, present)).toBeUndefined()
  })

  it('[CAP-2.5] a thinking level goes with the models that list it', () => {
    const models = [
      { code: 'large', label: 'Large', thinking: ['low', 'high'], default: true },
      { code: 'small', label: 'Small', thinking: ['low'] },
    ]
    const program = { ...able, models }
    expect(unsupportedSettings(program, { thinking: 'high' })).toBeNull()
    expect(unsupportedSettings(program, { thinking: 'high' }, { model: 'small' })?.details).toEqual({
      capability: 'reasoning_effort',
      field: 'thinking',
      value: 'high',
    })
    expect(unsupportedSettings(program, { model: 'small' }, { thinking: 'high' })).toBeNull()
  })

  it('[CAP-2.6] what is set as a query is refused where the program does not answer that query', () => {
    const rewind = { kind: 'files.rewind', promptId: 'p' } as const
    expect(refused(rewind)?.details).toEqual({ capability: 'queries', method: 'rewindFiles' })
    expect(refused(create({ maxThinkingTokens: 1_000 }))?.details).toEqual({
      capability: 'queries',
      method: 'setMaxThinkingTokens',
      field: 'maxThinkingTokens',
    })
    expect(refused(create({ maxThinkingTokens: null }))).toBeUndefined()
    const answers = {
      ...able,
      capabilities: { ...able.capabilities, queries: ['rewindFiles', 'setMaxThinkingTokens'] },
    }
    expect(unsupportedCommand(answers, rewind) ?? unsupportedSettings(answers, { maxThinkingTokens: 1 })).toBeNull()
  })

  it('says which values there are', () => {
    expect(refused(create({ mode: 'yolo' }))?.message).toBe('Plain has no mode "yolo". It has "ask", "edit".')
    expect(refused(create({ model: 'opus' }))?.message).toBe('Plain has no model "opus".')
  })

  it('says in plain words why a page does not offer a setting', () => {
    expect(unsupportedField(plain, 'allowedTools')).toBe('Plain takes no list of tools.')
    expect(unsupportedField(plain, 'model')).toBe('Plain has no model to choose.')
    expect(unsupportedField(plain, 'mode')).toBeNull()
    expect(unsupportedField(able, 'thinking')).toBeNull()
  })
})
