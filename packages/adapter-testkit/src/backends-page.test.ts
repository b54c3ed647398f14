// docs/backends.md says what the code says: the versions that were tested, and what each program can do.
import { readFileSync } from 'node:fs'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about } from '@roundhouse/adapter-acp/about'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { about as aboutClaude } from '@roundhouse/adapter-claude/about'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { about as aboutCodex } from '@roundhouse/adapter-codex/about'
import type { Capabilities, Capability } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const rows = read('docs/backends.md')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const context = { env: {}, scratchDir: '/nowhere' }

/** In the order of the columns. */
const adapters = [
  createClaudeAdapter(context),
  createCodexAdapter(context),
  ...(['opencode', 'gemini', 'qwen'] as const).map((name) =>
    createAcpAdapter({ ...about[name], profile: profiles[name] }, context),
  ),
]
/** Of a capability that is not mentioned. */
const absent: Partial<Capabilities> = { limitsOutput: true, reportsWindow: true }

describe('docs/backends.md', () => {
  it('lists the versions that the tests with the real programs pin, or that were measured, and that the agent knows', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('e2e/real-backends/package.json'))
    const pinned = { ...dependencies, ...optionalDependencies } as Record<string, string>
    const versions = [
      ['Claude Code', pinned['@anthropic-ai/claude-code']],
      ['Codex', pinned['@openai/codex']],
      ['OpenCode', pinned['opencode-linux-x64']],
      ['Gemini CLI', pinned['@google/gemini-cli']],
      ['Qwen Code', about.qwen.testedVersions[0]],
    ]
    expect(rows.filter(([, version]) => /^\d+\.\d+\.\d+$/.test(version ?? ''))).toEqual(versions)
    const known = [aboutClaude, aboutCodex, about.opencode, about.gemini, about.qwen]
    expect(known.map(({ label, testedVersions: [version] }) => [label, version])).toEqual(versions)
  })

  it('says of every capability what each adapter says', () => {
    const all = adapters.map(({ capabilities }) => ({ ...absent, ...capabilities }))
    const told = rows.flatMap(([, name, ...cells]) =>
      /^`\w+`$/.test(name ?? '') ? [[name?.slice(1, -1), ...cells]] : [],
    )
    const isFlag = (name: string) => all.some((one) => typeof one[name as Capability] === 'boolean')
    const names = [...new Set(all.flatMap((one) => Object.keys(one)))].filter(isFlag)
    const held = names.map((name) => [name, ...all.map((one) => (one[name as Capability] ? 'yes' : 'no'))])
    expect([...told].sort()).toEqual(held.sort())
  })
})
