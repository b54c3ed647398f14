/**
 * A file that may change under an answer (PERM-8) is one on which nothing else depends. Tried with a real bash: a command
 * runs twice, and only the files that are free to change have another content. Then every other file must be the same.
 */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TempDir, tempDir } from '../../../../../packages/adapter-testkit/src/temp-dir'
import { withoutTargets } from '../../actions/written-files'
import { wholeMatrix } from '../../testing/variation'
import { pinFiles } from './digest'

let dir: TempDir
beforeEach(() => {
  dir = tempDir('pinned-content')
})
afterEach(() => dir.remove())

/** How many random commands are tried. */
const SIZE = wholeMatrix ? 100 : 30

const FILES = ['run.sh', 'date', 'log', 'a/run.sh', 'b c', 'run\u00a0me.sh', 'run\vme.sh', 'run\rme.sh']

/** Scripts only, so that it shows when one of them runs. */
function makeFolder(): string {
  const folder = join(realpathSync(dir.path), 'work')
  rmSync(folder, { recursive: true, force: true })
  for (const name of ['a', 'b']) mkdirSync(join(folder, name), { recursive: true })
  for (const name of FILES) writeScript(join(folder, name), 'same')
  symlinkSync('log', join(folder, 'link'))
  return folder
}

const writeScript = (file: string, word: string) =>
  writeFileSync(file, `#!/bin/sh\necho ${word} >> ran\n`, { mode: 0o755 })

/** Those that the digest leaves out, or that may be others at the answer. */
function freeFiles(command: string, folder: string): string[] {
  const { files, printed } = pinFiles({ command }, folder, [folder])
  const pinned = files.map(({ path }) => path).filter((path) => !printed.includes(path))
  return FILES.map((name) => join(folder, name)).filter((file) => !pinned.includes(file))
}

function afterRun(command: string, word: string): Record<string, string> {
  const folder = makeFolder()
  const free = freeFiles(command, folder)
  for (const file of free) writeScript(file, word)
  spawnSync('/bin/bash', ['-c', command], {
    cwd: folder,
    stdio: 'ignore',
    timeout: 5_000,
    env: { PATH: process.env.PATH },
  })
  const rest = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && !free.includes(realpathSync(file)))
  return Object.fromEntries(rest.sort().map((file) => [file, withoutTime(readFileSync(file, 'utf8'))]))
}

/** `date` prints another second in the other run. */
const withoutTime = (content: string) => content.replace(/\d\d:\d\d:\d\d/g, 'hh:mm:ss')

describe('[PERM-8.10] what a real bash does with a file that may change under an answer', () => {
  it.each([
    "bash -c 'sh /dev/fd/199 199>>run.sh'",
    "bash -c 'sh /proc/thread-self/fd/199 199>>run.sh'",
    'sh /dev/stdout >> run.sh',
    'bash /dev/stderr 2>> run.sh',
    'sh <\\\n>run.sh',
    'cat <\\\n<run.sh > b/copy',
    'printf -v BASH_CMDS[cat] ./run.sh; echo >> run.sh; cat',
    'printf -v PATH .; echo >> date; date',
    'echo a >> log; cat log >&2.sh',
    'cd a; date >> run.sh; cd ../b; cat ../a/run.sh > run.sh',
    'sh ./run\u00a0me.sh a',
    'sh ./run\vme.sh a',
    'sh ./run\rme.sh a',
    'cat <<\\\nX\nX\nsh ./r\\un.sh',
    '((x=1<<2))\nsh ./r\\un.sh\n2',
  ])('is nothing that another file, or what runs, depends on: %j', (command) => {
    expect(afterRun(command, 'changed')).toEqual(afterRun(command, 'same'))
  })

  it('is the same for random commands of which it is said that they only write to a file', () => {
    const pieces = ['echo', 'date', 'cat', 'printf', '-v', 'PATH', '.', ' ', ' ', ' ', ' ', '>', '>>', '2>', '2>&1']
    pieces.push('>&2', ';', ';', '&&', 'log', 'link', 'run.sh', 'a/run.sh', '/dev/stdout', '/dev/fd/3', '3>>', "'b c'")
    pieces.push('"%s"', 'cd ', 'a', 'sh', '\\\n', '<', '5', '-n', '\u00a0', '=', '|', '$_', './run.sh', 'tail -1', '&')
    let seed = 20_261
    const below = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * most)
    }
    const random = () => Array.from({ length: 3 + below(12) }, () => pieces[below(pieces.length)]).join('')
    const commands = new Set<string>()
    for (let round = 0; round < 200_000 && commands.size < SIZE; round += 1) {
      const command = `echo x >> log ${random()}`
      if (withoutTargets({ command }).targets.length > 0) commands.add(command)
    }
    expect(commands.size).toBe(SIZE)
    for (const command of commands)
      expect([command, afterRun(command, 'changed')]).toEqual([command, afterRun(command, 'same')])
  })
})
