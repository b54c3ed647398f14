import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownCommandRules, withUpdates } from './own-rules'

const rules = { allow: ['ls'], ask: [] }

it('rules that a caller adds hold for the commands after it', () => {
  const added = [
    {
      type: 'addRules',
      behavior: 'allow',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }],
    },
    { type: 'addRules', behavior: 'ask', rules: [{ toolName: 'Bash' }] },
    { type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Bash' }] },
    { type: 'setMode', mode: 'plan' },
    null,
  ]
  expect(withUpdates(rules, added)).toEqual({ allow: ['ls', 'npm test:*'], ask: ['*'] })
})

it('settings that are a pipe or an endless device say nothing, and keep no start waiting', async () => {
  const workDir = mkdtempSync(join(tmpdir(), 'rh-rules-'))
  try {
    const at = (name: string) => join(workDir, '.claude', name)
    mkdirSync(at('.'), { recursive: true })
    spawnSync('mkfifo', [at('settings.json')])
    symlinkSync('/dev/zero', at('settings.local.json'))
    const sources = ['user', 'project', 'local']
    const input = {
      env: { CLAUDE_CONFIG_DIR: workDir },
      workDir,
      sources,
      allowedTools: [],
      sandbox: 'full-access' as const,
    }
    writeFileSync(join(workDir, 'settings.json'), JSON.stringify({ permissions: { ask: ['Bash(rm:*)'] } }))
    expect(await ownCommandRules(input)).toEqual({ allow: [], ask: ['rm:*'] })
  } finally {
    rmSync(workDir, { recursive: true })
  }
})
