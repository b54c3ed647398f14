// What the real Claude Code would run without asking, and what it says of it: every command is asked about, in every mode.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { wholeMatrix } from '../../../scripts/lib/runs/variation.mjs'
import { Recorder } from './rig/recorder'
import { claudeBin, realClaudeBench } from './testing/real-claude-bench'

describe.skipIf(claudeBin === null)('claude, the real program', { timeout: 60_000 }, () => {
  it.each([
    ['acceptEdits', true],
    ...(wholeMatrix
      ? ([
          ['default', false],
          ['plan', false],
        ] as const)
      : []),
  ] as const)(
    '[PERM-9] [PERM-11] asks about every command in the mode %s, with the rules by which it would not',
    async (mode, edits) => {
      const { bench, configDir } = await realClaudeBench()
      mkdirSync(configDir, { recursive: true })
      const allow = ['Bash(npm test:*)', 'Read(/x)', 'Bash(make)']
      writeFileSync(
        join(configDir, 'settings.json'),
        JSON.stringify({ permissions: { allow, ask: ['Bash(git push)'] }, disableAllHooks: true }),
      )
      const options = { sessionId: 's', workDir: bench.workDir, mode, allowedTools: ['Bash(ls:*)'] }
      const process = await bench.adapter.spawn(options)
      const recorder = new Recorder(bench.adapter, process)
      const ran = async (tool: string, input: object) => {
        const prompt = script([{ tool, input: { description: 'One command', ...input } }, { text: 'Done.' }])
        const turn = await recorder.turn(prompt, ({ callId }) => ({ callId, decision: 'deny' }))
        return turn.asks.map(({ toolName, meta }) => ({ toolName, byOwnRules: meta?.byOwnRules }))
      }
      const byOwnRules = { anything: false, edits, commands: ['ls:*', 'npm test:*', 'make'], asks: ['git push'] }
      for (const command of ['ls', 'grep -R x .', 'git status', 'cat *', 'npm test', 'touch x']) {
        expect(await ran('Bash', { command })).toEqual([{ toolName: 'Bash', byOwnRules }])
      }
      // A helper of the model, and the conversation behind a `/clear`.
      const helper = script([{ tool: 'Bash', input: { command: 'ls', description: 'One command' } }, { text: 'Done.' }])
      expect(
        await ran('Agent', { subagent_type: 'general-purpose', prompt: helper, run_in_background: false }),
      ).toContainEqual({
        toolName: 'Bash',
        byOwnRules,
      })
      await recorder.turn('/clear')
      expect(await ran('Bash', { command: 'ls' })).toEqual([{ toolName: 'Bash', byOwnRules }])
      const watch = { command: 'cat *', timeout_ms: 1_000, persistent: false }
      expect(await ran('Monitor', watch)).toEqual([{ toolName: 'Monitor', byOwnRules }])
      await bench.adapter.stop(process)
      await bench.dispose()
    },
  )
})
