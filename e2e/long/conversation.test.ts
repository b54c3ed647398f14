/**
 * A long conversation on each real program, with all that happens in a day of work, compared with what the program itself
 * wrote down: nothing that a person sees there may be missing here. `npm run conversation` plays for as long as
 * ROUNDHOUSE_CONVERSATION_MINUTES says (60 unless told otherwise) and prints what each side has alone.
 */
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { writeMcpConfig } from '../../packages/adapter-testkit/src/real-bench'
import { Resumed } from '../real/resumed'
import { seeded } from '../support/common/random'
import type { RealBackend } from '../support/processes/backends'
import { startRig } from '../support/rigs/rig'
import { actsOf } from './acts'
import { compare } from './compare'
import { withWholes } from './fetched'
import { ownRecords } from './own-records'
import { startAnswering } from './people'
import { rests, type Stage } from './stage'

const minutes = Number(process.env.ROUNDHOUSE_CONVERSATION_MINUTES ?? 60)
const kinds: RealBackend[] = ['claude', 'codex']

it.concurrent.each(kinds)(
  '[LOG-1] [RES-9] [IMG-1] [IMG-2] [LOG-6] %s: whatever its own record shows is in our log, in that order',
  async (kind) => {
    // Claude Code gives its to-do tools to models that know them, or where it is told so.
    const rig = await startRig({ kind, agentEnv: { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' } })
    const { around, agent, workDir } = rig.system
    try {
      if (kind === 'codex')
        appendFileSync(
          path.join(around.env.CODEX_HOME ?? '', 'config.toml'),
          '\n[features]\ndefault_mode_request_user_input = true\n\n[tools]\nupdate_plan = { enabled = true }\n',
        )
      agent.writePolicy({
        roots: [workDir],
        envAllow: around.envAllow,
        trustProjectConfig: true,
        backends: {
          scripted: {},
          claude: { path: '/nowhere/claude' },
          codex: { path: '/nowhere/codex' },
          [kind]: { path: around.path },
        },
        limits: { keepSessionBytes: 1024 ** 3 },
      })
      await agent.kill()
      await agent.start()
      mkdirSync(path.join(workDir, 'conf'))
      const mcpConfigPath = writeMcpConfig(path.join(workDir, 'conf'), 'sums', 'images')
      const session = await Resumed.begin(rig, [{ text: 'Here.' }], { mcpConfigPath })
      await session.turns(1)
      const person = startAnswering(rig, session.sessionId)
      const stage: Stage = { kind, rig, session, n: 0 }
      await rests(stage)
      const random = seeded(Number(process.env.ROUNDHOUSE_SEED ?? 1))
      const acts = Object.entries(actsOf(kind))
      const end = Date.now() + minutes * 60_000
      const played: string[] = []
      do {
        for (const [name, act] of shuffled(acts, random)) {
          stage.n += 1
          played.push(name)
          await act(stage).catch((error) => {
            throw new Error(`${kind}, act ${stage.n}, ${name}`, { cause: error })
          })
        }
      } while (Date.now() < end)
      await person.stop()
      const root = path.dirname(workDir)
      keep(kind, root, session.events)
      const events = await withWholes(rig, session.sessionId, session.events)
      const found = compare(ownRecords(kind, root), events)
      console.log(`${kind}: ${played.length} acts, ${events.length} events\n${found.text}`)
      expect([found.missing, found.misplaced, found.changed, found.untold]).toEqual([[], [], [], []])
      await rig.agree(session.sessionId)
    } finally {
      await rig.dispose()
    }
  },
  (minutes + 10) * 60_000,
)

function shuffled<T>(items: readonly T[], random: (below: number) => number): T[] {
  return items
    .map((item) => ({ item, at: random(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** So that a difference can be looked at afterwards. */
function keep(kind: RealBackend, root: string, events: readonly object[]): void {
  const folder = path.join(import.meta.dirname, `../test-results/conversation-${kind}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.jsonl')) copyFileSync(path.join(root, name), path.join(folder, path.basename(name)))
  }
  writeFileSync(path.join(folder, 'our-log.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
