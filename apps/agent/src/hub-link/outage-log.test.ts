import { describe, expect, it } from 'vitest'
import { OutageLog } from './outage-log'

describe('the reason why there is no connection', () => {
  it('is said once, once a minute while it lasts, and again when it is another one', () => {
    let now = 0
    const lines: string[] = []
    const outage = new OutageLog(
      (line) => lines.push(line),
      () => now,
    )
    for (now = 0; now <= 90_000; now += 3_000) outage.failed('refused', 3_000)
    outage.failed('another', 200)
    outage.over()
    outage.failed('another', 200)
    expect(lines).toEqual([
      'not connected: refused; next attempt in 3.0 s',
      'not connected: refused; next attempt in 3.0 s',
      'not connected: another; next attempt in 0.2 s',
      'not connected: another; next attempt in 0.2 s',
    ])
  })
})
