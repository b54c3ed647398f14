// Whatever the real Claude Code takes for a file behind `@`: no prompt that may be sent brings one from outside.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../../e2e/support/common/random'
import { Recorder } from './rig/recorder'
import { claudeBin, realClaudeBench } from './testing/real-claude-bench'

const seed = Number(process.env.ROUNDHOUSE_SEED ?? 1)
const prompts = Number(process.env.ROUNDHOUSE_PROMPTS ?? 60)

const before = [
  '',
  ' ',
  '看。',
  '(',
  '"',
  "'",
  '`',
  '\t',
  '\u00a0',
  '\u3000',
  'x',
  '/',
  ':',
  '@',
  '@"',
  '@a ',
  '-',
  '[',
  '\\',
]
const after = [
  '',
  ' ',
  '.',
  '-',
  '***',
  '~',
  '#L1',
  '#L1-9',
  '"',
  "'",
  '看',
  ')',
  ',',
  '\\',
  ' x',
  '#',
  '%20',
  '!',
  ';',
  '|',
  '\u00a0',
]

describe.skipIf(claudeBin === null)('claude, the real program', { timeout: 120_000 }, () => {
  it(`[CMD-10] reads nothing from outside, however it is named (seed ${seed})`, async () => {
    const { bench } = await realClaudeBench()
    const { workDir, otherDir } = bench
    const secrets = ['key', 'key with space', 'key@x', 'schlüssel']
    for (const name of secrets) writeFileSync(join(otherDir, name), 'canary-4711')
    mkdirSync(join(workDir, 'guide @'))
    writeFileSync(join(workDir, 'in.txt'), 'inside-42')
    writeFileSync(join(workDir, 'l.md#L1'), 'a decoy')
    writeFileSync(join(workDir, 'l.md~'), 'a decoy')
    symlinkSync(join(otherDir, 'key'), join(workDir, 'l.md'))
    symlinkSync(otherDir, join(workDir, 'dir'))
    const outside = [
      ...secrets.flatMap((name) => [join(otherDir, name), `../other/${name}`, `dir/${name}`]),
      `${otherDir}/key\\ with\\ space`,
      'l.md',
      `guide @${join(otherDir, 'key')}`,
    ]
    const process = await bench.adapter.spawn({ sessionId: 's', workDir })
    const recorder = new Recorder(bench.adapter, process)
    const random = seeded(seed)
    const pick = (list: readonly string[]) => list[random(list.length)] ?? ''
    let sent = 0
    for (let n = 0; n < prompts; n++) {
      const quote = random(10) < 4 ? '"' : ''
      const whole = pick(outside)
      const cut = random(whole.length)
      const name = random(2) === 0 ? whole : whole.slice(0, cut) + pick(after) + whole.slice(cut)
      const text = `Look ${pick(before)}@${quote}${name}${pick(after)}${quote}${pick(after)} and @in.txt`
      const { info } = await recorder.turn(`${text} ${script([{ text: 'Read.' }])}`)
      if (info.error?.code !== 'PATH_NOT_ALLOWED') sent += 1
      expect(JSON.stringify(bench.requests?.().at(-1) ?? null), JSON.stringify(text)).not.toContain('canary-4711')
    }
    // It is the check that refuses, and not everything.
    await recorder.turn(`See @in.txt ${script([{ text: 'Read.' }])}`)
    expect(JSON.stringify(bench.requests?.())).toContain('inside-42')
    console.log(`${sent} of ${prompts} prompts were sent`)
    await bench.adapter.stop(process)
    await bench.dispose()
  })
})
