// How long the agent takes to find files for a prompt (CMD-10), after a build:
//   node bench/files.mjs [10000]
// Makes a folder with so many files, asks the agent's own looker as the daemon does, and prints the times of the first answer
// (with the start of the process), of the first walk alone, and of the letters after it.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const count = Number(process.argv[2] ?? 10_000)
const PER_FOLDER = 40
const entry = fileURLToPath(new URL('../apps/agent/dist/look.js', import.meta.url))
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-files-')))

function makeFiles() {
  writeFileSync(path.join(folder, '.gitignore'), 'node_modules/\n*.log\n/dist/\n!keep.log\n')
  for (let made = 0; made < count; made += PER_FOLDER) {
    const at = path.join(folder, `part-${made % 17}`, `module-${made}`)
    mkdirSync(at, { recursive: true })
    for (let i = 0; i < Math.min(PER_FOLDER, count - made); i++) writeFileSync(path.join(at, `file-${made + i}.ts`), '')
  }
}

function openLooker() {
  const child = spawn(process.execPath, [entry], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (query) => {
    child.stdin.write(`${JSON.stringify({ look: 'files', folder, roots: [folder], denied: [], query })}\n`)
    for (;;) {
      const line = JSON.parse((await lines.next()).value)
      if (!line.ready && !line.at) return line
    }
  }
  return { ask, close: () => child.kill() }
}

async function timed(work) {
  const started = performance.now()
  const answer = await work()
  return { ms: Math.round(performance.now() - started), answer }
}

try {
  makeFiles()
  const starts = performance.now()
  const looker = openLooker()
  const cold = await timed(() => looker.ask('file-1'))
  const coldMs = Math.round(performance.now() - starts)
  await new Promise((resolve) => setTimeout(resolve, 3_100)) // until the walk is kept no longer
  const walk = await timed(() => looker.ask('file-12'))
  const next = await timed(() => looker.ask('file-123'))
  looker.close()
  const { seen } = cold.answer
  console.log(`${count} files: first answer ${coldMs} ms with the start of its process (target 150 ms)`)
  console.log(
    `a new walk ${walk.ms} ms, the next letter ${next.ms} ms; ${seen.files.length} found, complete: ${seen.complete}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
