// docs/backends.md says what the code says: the versions that were tested, and what each program can do.
import { readFileSync } from 'node:fs'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { about as aboutClaude } from '@roundhouse/adapter-claude/about'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { about as aboutCodex } from '@roundhouse/adapter-codex/about'
import type { Capabilities } from '@roundhouse/backend-types'
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

describe('docs/backends.md', () => {
  it('lists the versions that the tests with the real programs pin, and that the agent knows', () => {
    const pinned = JSON.parse(read('e2e/real-backends/package.json')).dependencies as Record<string, string>
    const listed = rows.filter(([, version]) => /^\d+\.\d+\.\d+$/.test(version ?? ''))
    expect(listed).toEqual([
      ['Claude Code', pinned['@anthropic-ai/claude-code']],
      ['Codex', pinned['@openai/codex']],
    ])
    expect(aboutClaude.testedVersions).toEqual([pinned['@anthropic-ai/claude-code']])
    expect(aboutCodex.testedVersions).toEqual([pinned['@openai/codex']])
  })

  it('says of every capability what each adapter says', () => {
    const claude = { limitsOutput: true, ...createClaudeAdapter(context).capabilities }
    const codex = createCodexAdapter(context).capabilities
    const told = rows.flatMap(([, name, ...cells]) =>
      /^`\w+`$/.test(name ?? '') ? [[name?.slice(1, -1), ...cells]] : [],
    )
    const isFlag = (name: string) => typeof claude[name as keyof Capabilities] === 'boolean'
    const word = (value: unknown) => (value ? 'yes' : 'no')
    const held = Object.keys(claude)
      .filter(isFlag)
      .map((name) => [name, word(claude[name as keyof Capabilities]), word(codex[name as keyof Capabilities])])
    expect([...told].sort()).toEqual([...held].sort())
  })
})
