/** Images and large outputs of the real programs' own tools: they stay on their machine, and whoever asks gets them from there. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CutValue } from '@roundhouse/backend-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeMcpConfig } from '../../packages/adapter-testkit/src/real-bench'
import { wholeOf } from '../long/fetched'
import { digestOf, imageOf, imagesWithin } from '../long/images'
import { startAnswering } from '../long/people'
import { missingReason, type RealBackend } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { playedOn } from '../support/rigs/whole-matrix'
import { changePolicy } from './change-policy'
import { Resumed } from './resumed'

const missing = await missingReason('claude')
const LARGE = 100_000
/** Codex says nothing of the file that its own tool showed to the model: there a server gives the image. */
const backends = {
  claude: {
    looks: (file: string) => ({ tool: 'Read', input: { file_path: file } }),
    runs: (command: string) => ({ tool: 'Bash', input: { command, description: 'Count' } }),
  },
  codex: {
    looks: (file: string) => ({ tools: [{ name: 'image', namespace: 'mcp__images', input: { path: file } }] }),
    runs: (cmd: string) => ({ tool: 'exec_command', input: { cmd, max_output_tokens: 200_000 } }),
  },
} satisfies Record<RealBackend, object>

variationsUnless(missing !== null).each(playedOn('claude'))(
  `[%s] what tools give back${missing === null ? '' : ` (${missing})`}`,
  (kind) => {
    const { looks, runs } = backends[kind]
    let rig: Rig
    beforeAll(async () => {
      rig = await startRig({ kind })
      await changePolicy(rig, { trustProjectConfig: true })
    })
    afterAll(() => rig.dispose())

    /** Nothing that lies beside the hub's tables escapes either. */
    const hubHolds = (words: string) => {
      const { dataDir } = rig.system.hub
      const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      const files = names.map((name) => path.join(dataDir, name)).filter((file) => statSync(file).isFile())
      return files.filter((file) => readFileSync(file).includes(words))
    }

    it('[LOG-6.1] [LOG-6.11] an image and a large output are cut in the log, come whole from the machine, and the hub keeps nothing of them', async () => {
      const { workDir } = rig.system
      const mcpConfigPath = writeMcpConfig(workDir, 'images')
      const file = path.join(workDir, 'large.png')
      const image = Uint8Array.from(Buffer.concat([imageOf('png', 'looked-at'), randomBytes(LARGE)]))
      writeFileSync(file, image)
      const session = await Resumed.begin(rig, [looks(file), runs('seq 20000'), { text: 'Seen.' }], { mcpConfigPath })
      const person = startAnswering(rig, session.sessionId)
      await session.turns(1)
      await person.stop()
      const [looked, counted] = session.of('tool_result').map(({ output }) => output)
      const shown = await wholeOf(rig, session.sessionId, CutValue.parse(looked))
      expect(imagesWithin(JSON.parse(shown.toString('utf8')))).toMatchObject([{ digest: digestOf(image) }])
      const lines = numbersIn(
        kind === 'claude' ? claudesOwn(counted) : await wholeOf(rig, session.sessionId, CutValue.parse(counted)),
      )
      expect(lines).toEqual(Array.from({ length: 20_000 }, (_, n) => `${n + 1}`))
      await rig.agree(session.sessionId)
      const middle = Buffer.from(image).toString('base64').slice(60_000, 60_100)
      expect([hubHolds('seq 20000').length > 0, hubHolds(middle), hubHolds('\\n10000\\n10001\\n')]).toEqual([
        true,
        [],
        [],
      ])
    })
  },
)

const numbersIn = (output: Buffer) => output.toString('utf8').trim().split('\n')

/** Claude Code gives us no more of a large output than the log takes, and keeps the whole itself: the log says where. */
function claudesOwn(output: unknown): Buffer {
  const [, file = ''] = /The machine keeps all of them in (.+)\)$/.exec(String(output)) ?? []
  return readFileSync(file)
}
