/** Acts with images: a person sends some, tools give some back, a queue holds one while its host dies, a terminal shows one. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../support/common/until'
import { toolThatRuns } from '../support/processes/backends'
import { scriptOf } from '../support/rigs/rig'
import { type Image, imageKinds, imageOf } from './images'
import { type Act, conversationOf, letGo, plays, rests, runProgram, type Stage } from './stage'

/** Large enough that its log has only its ends (LOG-6). */
const LARGE = 100_000

const kindOf = (n: number) => imageKinds[n % imageKinds.length] ?? 'png'

/** Uploads these, as the page does, and sends them with a prompt. */
async function sends({ rig, session, n }: Stage, files: readonly Image[], ...steps: object[]) {
  const images: string[] = []
  for (const file of files) images.push((await rig.rest.uploadImage(session.sessionId, file)).imageId)
  return rig.rest.prompt(session.sessionId, { promptId: `images-${n}`, text: scriptOf(steps), images })
}

const showsImages: Act = async (stage) => {
  const { n, session } = stage
  const more = n % 3 === 0 ? [imageOf('png', `second-${n}`, LARGE)] : []
  const prompt = await sends(stage, [imageOf(kindOf(n), `sent-${n}`), ...more], { text: `Seen ${n}.` })
  await session.endOf(prompt)
  await rests(stage)
}

/** The machine has it when its host dies, and gives it to the next program. */
const imageInQueue: Act = async (stage) => {
  const { n, kind, rig, session } = stage
  const file = `${rig.system.workDir}/running-${n}`
  const tool = toolThatRuns(kind, file)
  await rig.prompt(session.sessionId, [tool.step, { text: 'Never said.' }])
  await until('the command', tool.runs)
  const prompt = await sends(stage, [imageOf(kindOf(n), `queued-${n}`)], { text: `Seen from the queue ${n}.` })
  await until('the prompt in the queue', async () => (await session.session()).queue.length === 1)
  await session.killHost()
  await until('the queue to be held', async () => (await session.session()).queueHeld)
  await rig.rest.queue(session.sessionId, { op: 'release' })
  await session.endOf(prompt)
  rmSync(`${file}.runs`, { force: true })
  await rests(stage)
}

function imageFile({ rig, n }: Stage, bytes = 0): string {
  const kind = kindOf(n)
  const file = path.join(rig.system.workDir, `image-${n}.${kind}`)
  writeFileSync(file, imageOf(kind, `file-${n}`, bytes))
  return file
}

const looksAtFile: Act = (stage) => {
  const file = imageFile(stage)
  const step =
    stage.kind === 'claude'
      ? { tool: 'Read', input: { file_path: file } }
      : { tool: 'view_image', input: { path: file } }
  return plays(stage, step, { text: `Looked ${stage.n}.` })
}

const serverGivesImage: Act = (stage) => {
  const { n, kind } = stage
  const input = { path: imageFile(stage, n % 2 === 0 ? LARGE : 0) }
  const step =
    kind === 'claude'
      ? { tool: 'mcp__images__image', input }
      : { tools: [{ name: 'image', namespace: 'mcp__images', input }] }
  return plays(stage, step, { text: `Was given ${n}.` })
}

/** A prompt with an image in a terminal; of Claude Code also an image that nobody says a word about. */
const imageInTerminal: Act = async (stage) => {
  const { n, kind } = stage
  await letGo(stage)
  const prompt = scriptOf([{ text: `Seen in the terminal ${n}.` }])
  if (kind === 'claude') {
    await claudeIsShown(stage, `alone-${n}`)
    await claudeIsShown(stage, `shown-${n}`, prompt)
  } else {
    const file = imageFile(stage)
    await runProgram(stage, [
      'exec',
      '--skip-git-repo-check',
      'resume',
      `--image=${file}`,
      conversationOf(stage),
      prompt,
    ])
  }
  await plays(stage, { text: `After the image in the terminal ${n}.` })
}

function claudeIsShown(stage: Stage, name: string, text?: string): Promise<string> {
  const data = Buffer.from(imageOf('png', name)).toString('base64')
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
  const content = text === undefined ? [image] : [image, { type: 'text', text }]
  const line = { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' }
  const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']
  return runProgram(stage, ['--resume', conversationOf(stage), '-p', ...streams], `${JSON.stringify(line)}\n`)
}

export const imageActs = { showsImages, imageInQueue, looksAtFile, serverGivesImage, imageInTerminal }
