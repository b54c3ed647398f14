// Starts and ends `servers/bus-load.mjs`.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { cores, pinned } from './pin.mjs'

const script = fileURLToPath(new URL('../servers/bus-load.mjs', import.meta.url))

/** Resolves once it publishes. @param {{ port: number, tokens: object[], boss: object, rate: number }} load */
export async function startBusLoad(load) {
  const [program, ...args] = pinned(cores.client, [process.execPath, script])
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const said = []
  const closed = new Promise((resolve) => child.once('close', resolve))
  const loaded = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line)
      if (line === 'loaded') resolve()
    })
    void closed.then(() => reject(new Error('the load of the bus ended before it began')))
  })
  child.stdin.write(`${JSON.stringify(load)}\n`)
  await loaded
  return {
    async stop() {
      child.stdin.end()
      await closed
      return JSON.parse(said.at(-1))
    },
  }
}
