import type { BackendOutput, ToolDisplay } from '@roundhouse/backend-types'
import { SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../redact/redactor'
import { describingShown, withShownTool } from './shown-tool'

const use = (input: unknown): BackendOutput => ({ kind: 'tool_use', toolName: 'Bash', callId: 'c1', input })
const says = (display: unknown) => ({ describeTool: () => display as ToolDisplay })

describe('what a call is shown by', () => {
  it('is what its adapter says, and the shape that it declares', () => {
    const shape = { kind: 'command', command: 'command' } as const
    const adapter = { ...says({ verb: 'Run', command: 'ls\npwd' }), inputShapes: { Bash: shape } }
    expect(withShownTool(use({ command: 'ls\npwd' }), adapter)).toEqual({
      ...use({ command: 'ls\npwd' }),
      display: { verb: 'Run', command: 'ls\npwd' },
      shape,
    })
  })

  it.each(['constructor', 'toString', '__proto__'])('has no shape for a tool named %s', (toolName) => {
    const output = { kind: 'tool_use', toolName, callId: 'c1', input: {} } as const
    expect(withShownTool(output, { inputShapes: {} })).toEqual(output)
  })

  it('[PERM-7.19] holds no control character, and is cut where it is too long', () => {
    const display = { verb: 'R\u001bun\n', object: 'a\u0007b', command: `one\u0000\n${'x'.repeat(9_000)}` }
    const shown = withShownTool(use({}), says(display)) as { display?: ToolDisplay }
    expect(shown.display).toMatchObject({ verb: 'R un ', object: 'a b' })
    expect(shown.display?.command).toMatch(/^one \nx+…$/)
    expect(shown.display?.command).toHaveLength(2_000)
  })

  it('names the first of many files, and how many more there are', () => {
    const paths = Array.from({ length: 45 }, (_, n) => `f${n}`)
    const shown = withShownTool(use({}), says({ verb: 'Edit', paths })) as { display?: ToolDisplay }
    expect(shown.display?.paths).toHaveLength(20)
    expect(shown.display?.object).toBe('and 25 more')
  })

  it.each([
    ['nothing', undefined],
    ['a verb that is no text', { verb: 7 }],
    ['no verb', { verb: '' }],
    ['files that are none', { verb: 'Read', paths: [7] }],
  ])('is left out where an adapter says %s', (_what, display) => {
    expect(withShownTool(use({}), says(display))).toEqual(use({}))
  })

  it('is left out where an adapter fails, and the call is told all the same', () => {
    const fails = () => {
      throw new Error('odd input')
    }
    expect(withShownTool(use(null), { describeTool: fails })).toEqual(use(null))
  })

  it('is left out of what is too large to be described', () => {
    expect(withShownTool(use({ command: 'x'.repeat(70_000) }), says({ verb: 'Run' }))).toEqual(
      use({ command: 'x'.repeat(70_000) }),
    )
  })

  it('[PERM-7.19] is described from what the redactor leaves, also where only the name of a member tells a secret', () => {
    const first = (input: unknown) => String(Object.values(input as object)[0])
    const adapter = { describeTool: (_tool: string, input: unknown) => ({ verb: 'Use', object: first(input) }) }
    const shown = withShownTool(use({ api_key: 'q8Zr4kPw2mXv7Lb9' }), describingShown(adapter, createRedactor([])))
    expect(JSON.stringify((shown as { display?: ToolDisplay }).display)).not.toContain('q8Zr4kPw')
  })

  it('is no reason to lose an event, whatever a later agent writes there', () => {
    const event = { ...use({ command: 'ls' }), display: { verb: 7 }, shape: { kind: 'of another time' } }
    expect(SessionEvent.parse(event)).toEqual({ ...use({ command: 'ls' }), display: undefined, shape: undefined })
  })
})
