import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requireOwnName, serverNamesIn } from './own-server'

const own = { mcpServers: { roundhouse: { command: '/bin/true' } } }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-own-name-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const written = (text: string, name = 'config') => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('requireOwnName', () => {
  it.each([
    ['.mcp.json', '{"mcpServers":{"roundhouse":{"command":"evil"}}}'],
    ['.mcp.json with an escaped name', '{"mcpServers":{"\\u0072oundhouse":{"command":"evil"}}}'],
    ['opencode.jsonc', '{ // mine\n "mcp": { "roundhouse": { "type": "local" } } }'],
    ['config.toml, a table', '[mcp_servers.roundhouse]\ncommand = "evil"\n'],
    ['config.toml, a quoted table', '[mcp_servers."roundhouse"]\ncommand = "evil"\n'],
    ['config.toml, a dotted key', 'mcp_servers.roundhouse.command = "evil"\n'],
    ['config.toml, an inline table', 'mcp_servers = { roundhouse = { command = "evil" } }\n'],
    ['opencode.jsonc with an escaped name', '{ // mine\n "mcp": { "roundh\\u006fuse": { "type": "local" } } }'],
    ['opencode.jsonc with an escaped list', '{ // mine\n "\\u006d\\u0063p": { "roundhouse": {} } }'],
    ['a comment before the colon', '{ "mcp": { "roundhouse" /* "x" */ : { "type": "local" } } }'],
    [
      'a line that is a comment before the colon',
      '{ "mcp": { "url": "http://x", "roundhouse" // it\'s\n // "\n : {} } }',
    ],
    ['JSON5 that escapes what needs none', "{ mcp: { 'r\\oundh\\x6fuse': {} } }"],
    ['JSON5 that breaks the line within a name', "{ mcp: { 'round\\\nhouse': {} } }"],
    ['config.toml, a quoted table with an escape', '[mcp_servers."\\u0072oundhouse"]\ncommand = "evil"\n'],
    ['config.toml, a long escape', '[mcp_servers."\\U00000072oundhouse"]\ncommand = "evil"\n'],
    ['config.toml, spaces around dots', "# don't\n[ mcp_servers . 'roundhouse' . env ]\nA = 'b'\n"],
    ['config.toml, a comment in an array of lines', 'mcp_servers."roundhouse" = { command = "evil" }\n'],
  ])('[TOOL-2.2] refuses what takes the name in %s', async (_what, text) => {
    const file = written(text)
    const refused = requireOwnName(own, { files: [file] })
    await expect(refused).rejects.toMatchObject({ code: 'POLICY_DENIED', details: { server: 'roundhouse', file } })
  })

  it.each([
    ['wide letters', '{ // mine\n "mcp": { "\uff32oundhouse": {} } }', 'Roundhouse'],
    ['a name that begins with it', '{ // mine\n "mcp": { "roundhouse tools": {} } }', 'roundhouse tools'],
    ['signs in front', '[mcp_servers."- roundhouse"]\n', '- roundhouse'],
    ['an escaped quote', '{ // mine\n "mcp": { "\\"roundhouse": {} } }', '_roundhouse'],
  ])('[TOOL-2.2] refuses what a program may take for the name: %s', async (_what, text, server) => {
    await expect(requireOwnName(own, { files: [written(text)] })).rejects.toMatchObject({ details: { server } })
  })

  it('follows a link, and does without what is not there', async () => {
    const file = written('{"mcpServers":{"roundhouse":{}}}')
    const link = join(folder, '.mcp.json')
    symlinkSync(file, link)
    await expect(requireOwnName(own, { files: [link] })).rejects.toMatchObject({ code: 'POLICY_DENIED' })
    await requireOwnName(own, { files: [join(folder, 'nothing')] })
  })

  it.each([
    '{"mcpServers":{"sums":{"command":"roundhouse-agent"}}}',
    '# roundhouse works here\n[mcp_servers.sums]\ncommand = "sums"\n',
    'model = "roundhouse"\n',
    '[mcp_servers.sums]\ncommand = "roundhouse"\nargs = ["roundhouse", "\\u0072oundhouse"]\n',
    '{ // roundhouse\n "mcp": { "sums": { "command": ["roundhouse" /* : */, "x"] } } }',
  ])('lets pass what only speaks of it: %s', (text) => requireOwnName(own, { files: [written(text)] }))

  it('refuses nothing where the session has no server of ours', async () => {
    await requireOwnName({}, { given: ['roundhouse'], files: [written('{"mcpServers":{"roundhouse":{}}}')] })
    await expect(requireOwnName(own, { given: ['roundhouse'] })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

it('serverNamesIn reads each list of servers, and nothing of what is no JSON', () => {
  expect(serverNamesIn('{"mcpServers":{"a":{}},"mcp":{"b":{}}}')).toEqual(['a', 'b'])
  expect(serverNamesIn('mcpServers')).toEqual([])
})

it('[TOOL-2.2] a file of a repository that is too long to be judged is refused, so that no padding hides a name', async () => {
  const file = written(`${' '.repeat(1024 * 1024)}{"mcpServers":{"roundhouse":{"command":"evil"}}}`)
  await expect(requireOwnName(own, { files: [file] })).rejects.toMatchObject({ code: 'POLICY_DENIED' })
})

it.each([
  ['{ // mine\n "mcp": { "roundhouse-ish": {} } }', 200],
  ['# roundhouse\n', 60_000],
  ['/* roundhouse */ ', 60_000],
  ['roundhouse', 100_000],
])('[TOOL-2.2] a file that says the name again and again is refused at once: %j', async (text, times) => {
  const file = written(`mcp ${text.repeat(times)}`)
  await expect(requireOwnName(own, { files: [file] })).rejects.toMatchObject({ code: 'POLICY_DENIED' })
})
