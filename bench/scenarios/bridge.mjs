// The bridge beside the program alone: a frame from the program to its reader.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { rssMb } from '../lib/machine.mjs'
import { percentiles } from '../lib/util.mjs'

export const BURST = 10_000
const agent = fileURLToPath(new URL('../../apps/agent/dist/main.js', import.meta.url))
const printer = fileURLToPath(new URL('../servers/frame-printer.mjs', import.meta.url))
const now = () => performance.timeOrigin + performance.now()

/** A child that prints JSON lines. `heard` gets each with the time at which it came. */
function talk(file, args, { env, cwd }, heard) {
  const child = spawn(file, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] })
  createInterface({ input: child.stdout }).on('line', (line) => heard(JSON.parse(line), now()))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const say = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const end = () => {
    child.stdin.end()
    return exited
  }
  return { pid: child.pid, say, end }
}

const userFrame = (text) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
  session_id: '',
})
const flags = ['-p', '--input-format=stream-json', '--output-format=stream-json', '--verbose']

/** The program, read directly. */
function alone(program, place, heard) {
  const args = [...flags, '--include-partial-messages', '--permission-prompt-tool=stdio', '--permission-mode=default']
  let ready = () => {}
  const started = new Promise((resolve) => {
    ready = resolve
  })
  const child = talk(program, args, place, (frame, at) =>
    frame.type === 'control_response' ? ready() : heard(frame, at),
  )
  child.say({ type: 'control_request', request_id: 'a', request: { subtype: 'initialize' } })
  return { ...child, started, prompt: (text) => child.say(userFrame(text)) }
}

/** The program behind the bridge. Its first turn is over when it has started. */
function bridged(program, place, firstPrompt, heard) {
  const home = mkdtempSync(path.join(place.root, 'agent-'))
  mkdirSync(path.join(home, 'config'), { mode: 0o700 })
  const policy = { version: 1, roots: [place.cwd], backends: { claude: { path: program } }, envAllow: ['DISABLE_*'] }
  writeFileSync(path.join(home, 'config', 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const env = { ...place.env, ROUNDHOUSE_AGENT_HOME: home }
  let session = null
  let ready = () => {}
  const started = new Promise((resolve, reject) => {
    ready = (error) => (error ? reject(error) : resolve())
  })
  const child = talk(process.execPath, [agent, 'bridge'], { env, cwd: place.cwd }, (message, at) => {
    if (message.type === 'error') ready(new Error(message.payload.message))
    if (message.type === 'session.created') session = message.session_id
    if (message.type !== 'sdk.message') return
    if (message.payload.type === 'result') ready()
    heard(message.payload, at)
  })
  const options = { include_partial_messages: true }
  child.say({ type: 'session.create', id: '1', payload: { prompt: firstPrompt, cwd: place.cwd, options } })
  const prompt = (message) => child.say({ type: 'session.send', id: '2', session_id: session, payload: { message } })
  return { ...child, started, prompt }
}

/** One turn after another, each to its result. */
function collector() {
  let frames = []
  let over = () => {}
  return {
    heard: (frame, at) => {
      frames.push({ frame, at })
      if (frame.type === 'result') over()
    },
    async turn(prompt) {
      frames = []
      const done = new Promise((resolve) => {
        over = resolve
      })
      prompt()
      await done
      return frames
    },
  }
}

async function measure(open, work) {
  const collected = collector()
  const target = open(collected.heard)
  await target.started
  try {
    return await work(target, (text) => collected.turn(() => target.prompt(text)))
  } finally {
    await target.end()
  }
}

/** How late the program's frames are, fifty a second, and how many come in a second where it prints as fast as it can. */
const printed =
  (frames) =>
  async ({ pid }, turn) => {
    await turn('print 50 0')
    const paced = (await turn(`print ${frames} 20`)).filter(({ frame }) => frame.at !== undefined)
    const late = paced.map(({ frame, at }) => at - frame.at)
    const begun = now()
    await turn(`print ${BURST} 0`)
    const seconds = (now() - begun) / 1000
    return { ...percentiles(late), rate: BURST / seconds, memory: rssMb(pid) }
  }

/** Of a program that only prints: alone, and through the bridge. `root`: a folder for both. */
export async function measurePrinter(root, frames) {
  chmodSync(printer, 0o755)
  const env = { PATH: process.env.PATH ?? '', HOME: root }
  const place = { root, cwd: mkdtempSync(path.join(root, 'work-')), env }
  return {
    direct: await measure((heard) => alone(printer, place, heard), printed(frames)),
    through: await measure((heard) => bridged(printer, place, 'print 1 0', heard), printed(frames)),
  }
}

/** Whole turns of a real program, in milliseconds: alone, and through the bridge. */
export async function measureTurns(program, place, turns) {
  const hello = 'Please. SCRIPT: [{"text":"Hello."}]'
  const timed = async (_target, turn) => {
    const times = []
    for (let done = 0; done < turns; done++) {
      const begun = now()
      await turn(hello)
      times.push(now() - begun)
    }
    return percentiles(times).p50
  }
  return {
    direct: await measure((heard) => alone(program, place, heard), timed),
    through: await measure((heard) => bridged(program, place, hello, heard), timed),
  }
}
