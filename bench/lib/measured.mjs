// A measurement in a process of its own, whose last line of output is the result as JSON. Whatever goes wrong there is this one
// measurement's failure: `{ error }`.
import { spawn } from 'node:child_process'
import path from 'node:path'

const bench = path.join(import.meta.dirname, '..')

/** @param {string[]} command @param {{ limitMs?: number }} options @returns {Promise<any>} */
export function measured([program, ...args], { limitMs } = {}) {
  const child = spawn(program, args, { cwd: bench, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve) => {
    let output = ''
    const limit = limitMs === undefined ? undefined : setTimeout(() => child.kill('SIGTERM'), limitMs)
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk
    })
    child.on('error', (error) => resolve({ error: error.message }))
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve(lastLine(output) ?? { error: `ended with ${code} and no result` })
    })
  })
}

function lastLine(output) {
  try {
    return JSON.parse(output.trim().split('\n').at(-1))
  } catch {
    return null
  }
}
