import { describe, expect, it } from 'vitest'
import { mcpToolName } from './mcp-tool'
import { isOwnTool, isReservedServer, OWN_SERVER, ownTools, requireUnreserved } from './own-tools'

describe('a tool of the session host', () => {
  it('[TOOL-2.3] is known by its exact server and name', () => {
    for (const tool of ownTools) expect(isOwnTool(mcpToolName(OWN_SERVER, tool))).toBe(true)
  })

  it.each([
    'publish_event',
    'mcp__roundhouse2__publish_event',
    'mcp__Roundhouse__publish_event',
    'mcp__roundhouse__publish_event2',
    'mcp__roundhouse__x__publish_event',
    'mcp__roundhouse___publish_event',
    'mcp__other__roundhouse__publish_event',
    'mcp__roundhouse__elicitation',
    'mcp__roundhouse__*',
    'Bash',
  ])('is not %s', (name) => expect(isOwnTool(name)).toBe(false))
})

describe('the name of its server', () => {
  it.each([
    'roundhouse',
    'RoundHouse',
    ' roundhouse ',
    '_roundhouse',
    'round\u200bhouse\u200b'.replaceAll('\u200b', ''),
    'roundhouse-tools',
    'roundhouse_publish',
    'ＲＯＵＮＤＨＯＵＳＥ',
  ])('is taken by "%s"', (name) => {
    expect(isReservedServer(name)).toBe(true)
    expect(() => requireUnreserved(['sums', name], 'mcpConfigPath')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details: { field: 'mcpConfigPath', server: name } }),
    )
  })

  it.each(['sums', 'roundhouses', 'my-roundhouse', 'house', ''])('is not taken by "%s"', (name) => {
    expect(isReservedServer(name)).toBe(false)
    requireUnreserved([name], 'mcpConfigPath')
  })
})
