// How long a frame takes from the program to the client of the bridge, beside the program alone, after a build:
//   node bench/bridge.mjs [frames] [turns]
// A program that speaks Claude Code's language prints frames that say when they were printed: 50 a second, and as many as it can.
// Where the pinned Claude Code is installed, whole turns of it are measured as well, on a scripted model. Prints one Markdown table;
// no figure makes the command fail.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { claudeEnvironment } from '../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../e2e/real-backends/install.mjs'
import { startAnthropicModel } from '../e2e/real-backends/model-servers/anthropic.mjs'

const [frames = 500, turns = 20] = process.argv.slice(2).map(Number)
const BURST = 10_000
const agent = fileURLToPath(new URL('../apps/agent/dist/main.js', import.meta.url))
const printer = fileURLToPath(new URL('./servers/frame-printer.mjs', import.meta.url))
const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roundhouse-bridge-bench-')))
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
  const home = mkdtempSync(path.join(root, 'agent-'))
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

const quantile = (values, q) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))]

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

async function printed({ pid }, turn) {
  await turn('print 50 0')
  const paced = (await turn(`print ${frames} 20`)).filter(({ frame }) => frame.at !== undefined)
  const late = paced.map(({ frame, at }) => at - frame.at)
  const begun = now()
  await turn(`print ${BURST} 0`)
  const seconds = (now() - begun) / 1000
  return { p50: quantile(late, 0.5), p99: quantile(late, 0.99), rate: BURST / seconds, memory: memoryOf(pid) }
}

const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

async function real({ pid: _pid }, turn) {
  const times = []
  for (let done = 0; done < turns; done++) {
    const begun = now()
    await turn('Please. SCRIPT: [{"text":"Hello."}]')
    times.push(now() - begun)
  }
  return quantile(times, 0.5)
}

const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const row = (...cells) => `| ${cells.join(' | ')} |`

try {
  chmodSync(printer, 0o755)
  const place = { cwd: mkdtempSync(path.join(root, 'work-')), env: { PATH: process.env.PATH ?? '', HOME: root } }
  const [direct, through] = [
    await measure((heard) => alone(printer, place, heard), printed),
    await measure((heard) => bridged(printer, place, 'print 1 0', heard), printed),
  ]
  const cpus = os.cpus()
  console.log(
    `${new Date().toISOString().slice(0, 16)}, ${cpus.length} cores (${cpus[0]?.model.trim()}), Node ${process.versions.node}, load ${os.loadavg()[0].toFixed(1)}\n`,
  )
  console.log(row(`${frames} frames, 50 a second`, 'program alone', 'through the bridge', 'added', 'target'))
  console.log(row('---', '---', '---', '---', '---'))
  const added = (name, a, b, target) => row(name, ms(a), ms(b), ms(b - a), target)
  console.log(added('program’s frame to client, p50', direct.p50, through.p50, '<= 5 ms'))
  console.log(added('the same, p99', direct.p99, through.p99, ''))
  console.log(row(`burst of ${BURST} frames`, `${Math.round(direct.rate)}/s`, `${Math.round(through.rate)}/s`, '', ''))
  console.log(row('resident memory of the bridge, one session', '-', `${Math.round(through.memory)} MB`, '', ''))
  const { claude } = await findRealBackends()
  if ('skipped' in claude) console.log(`\nWhole turns of Claude Code were not measured: ${claude.skipped}`)
  else {
    const model = await startAnthropicModel()
    const surroundings = claudeEnvironment(model.url)
    const realPlace = { cwd: surroundings.workDir, env: surroundings.env }
    try {
      const turnAlone = await measure((heard) => alone(claude.bin, realPlace, heard), real)
      const hello = 'Please. SCRIPT: [{"text":"Hello."}]'
      const turnThrough = await measure((heard) => bridged(claude.bin, realPlace, hello, heard), real)
      console.log(added(`a turn of Claude Code ${claude.version}, p50 of ${turns}`, turnAlone, turnThrough, ''))
    } finally {
      await model.close()
      surroundings.remove()
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
