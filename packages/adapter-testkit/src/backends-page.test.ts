// docs/backends.md says what the code says: the versions that were tested, and what each program can do.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createAcpAdapter, profiles } from '@roundhouse/adapter-acp'
import { about as aboutAcp } from '@roundhouse/adapter-acp/about'
import { createClaudeAdapter } from '@roundhouse/adapter-claude'
import { about as aboutClaude } from '@roundhouse/adapter-claude/about'
import { createCodexAdapter } from '@roundhouse/adapter-codex'
import { about as aboutCodex } from '@roundhouse/adapter-codex/about'
import { describe, expect, it } from 'vitest'
import { withTables } from './testing/backends-page'

const path = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url))
const read = (file: string) => readFileSync(path(file), 'utf8')
const page = 'docs/backends.md'
const rows = read(page)
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
    const { dependencies, optionalDependencies } = JSON.parse(read('e2e/real-backends/package.json'))
    const more = JSON.parse(read('e2e/real-backends/more/package.json'))
    const pinned = {
      'Claude Code': dependencies['@anthropic-ai/claude-code'],
      Codex: dependencies['@openai/codex'],
      OpenCode: optionalDependencies['opencode-linux-x64'],
      'Gemini CLI': dependencies['@google/gemini-cli'],
      'Qwen Code': more.dependencies['@qwen-code/qwen-code'],
      OpenClaw: more.dependencies.openclaw,
    }
    const listed = rows.filter(([, version]) => /^\d+\.\d+\.\d+$/.test(version ?? ''))
    expect(Object.fromEntries(listed)).toEqual(pinned)
    const known = [aboutClaude, aboutCodex, ...Object.values(aboutAcp)]
    expect(Object.fromEntries(known.map(({ label, testedVersions }) => [label, testedVersions[0]]))).toEqual(pinned)
  })

  it('[CAP-5.3] says of every capability what each adapter says, and what asks for it', async () => {
    const names = Object.keys(aboutAcp) as Array<keyof typeof aboutAcp>
    const profiled = names.map((name) => ({ ...aboutAcp[name], profile: profiles[name] }))
    const generic = { kind: 'generic', label: 'Any other program', profile: profiles.generic }
    const adapters = [
      createClaudeAdapter(context),
      createCodexAdapter(context),
      ...[...profiled, generic].map((program) => createAcpAdapter(program, context)),
    ]
    await expect(withTables(read(page), adapters)).toMatchFileSnapshot(path(page))
  })
})
