/**
 * The thread of `look-now.ts`, which runs while the daemon's own thread waits: it starts `look.js`, and reports each of its
 * lines and finally how it ended. Each report wakes the waiting thread.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { workerData } from 'node:worker_threads'
import type { ThreadTold, ThreadWork } from './look-now'

const { entry, question, port, told } = workerData as ThreadWork

function say(message: ThreadTold): void {
  port.postMessage(message)
  Atomics.add(told, 0, 1)
  Atomics.notify(told, 0)
}

const failed = ({ code = 'EIO', message }: NodeJS.ErrnoException) => say({ failed: { code, message } })

try {
  const child = spawn(process.execPath, [entry], { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  child.on('error', failed)
  child.on('close', (code) => failed(new Error(`it ended with ${code}`)))
  // If descriptors ran out, there are no pipes.
  child.stdin?.on('error', () => {})
  port.on('message', () => child.kill('SIGKILL'))
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => say({ line }))
  child.stdin?.write(question)
} catch (error) {
  failed(error as NodeJS.ErrnoException)
}
