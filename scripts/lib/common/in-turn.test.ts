import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTurn } from './in-turn.mjs'
import { identityOf } from './process-facts.mjs'
import { run } from './run.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'in-turn-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = () => path.join(folder, 'at-it.json')
const module = path.join(import.meta.dirname, 'in-turn.mjs')
/** Adds its part to the text in two steps, between which another one must not come: the first waits until all others are there. */
const program = `
  const fs = require('node:fs')
  fs.mkdirSync('here', { recursive: true })
  fs.writeFileSync('here/' + process.pid, '')
  const allHere = () => new Promise((resolve) => {
    const watcher = fs.watch('here', () => look())
    const look = () => { if (fs.readdirSync('here').length === 4) { watcher.close(); resolve() } }
    look()
  })
  import(process.argv[1]).then(({ inTurn }) => inTurn(() => {}, async () => {
    const before = fs.existsSync('text') ? fs.readFileSync('text', 'utf8') : ''
    await allHere()
    fs.writeFileSync('text', before + 'x')
  }, process.argv[2]))`
const another = () => run([process.execPath, '--eval', program, module, file()], { cwd: folder })

describe('two commands that install or build in one clone', () => {
  it('take turns, also behind one that died at it', async () => {
    writeFileSync(file(), JSON.stringify({ ...identityOf(process.ppid), start: 'earlier' }))
    const all = await Promise.all(Array.from({ length: 4 }, another))
    expect(all.map(({ code, output }) => `${code}${output}`)).toEqual(Array(4).fill('0'))
    expect((await run(['cat', path.join(folder, 'text')])).output).toBe('xxxx')
    expect(existsSync(file())).toBe(false)
  })

  it('say for whom they wait, once', async () => {
    writeFileSync(file(), JSON.stringify(identityOf(process.ppid)))
    const said: string[] = []
    const say = (line: string) => {
      said.push(line)
      rmSync(file())
    }
    expect(await inTurn(say, async () => 'done', file())).toBe('done')
    expect(said).toEqual([`Process ${process.ppid} installs or builds here; this one continues when it has ended.`])
  })

  it('go on over a file that is damaged, and give the turn back when the work fails', async () => {
    writeFileSync(file(), '')
    const failing = inTurn(
      () => {},
      () => Promise.reject(new Error('no compiler')),
      file(),
    )
    await expect(failing).rejects.toThrow('no compiler')
    expect(existsSync(file())).toBe(false)
  })
})
