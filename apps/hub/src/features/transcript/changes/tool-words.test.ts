import type { ToolDisplay } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { shortObject, toolWords } from './tool-words'

const called = (toolName: string, input: unknown, display?: ToolDisplay) => toolWords({ toolName, input, display })

describe('the line of a call', () => {
  it('is what the adapter says', () => {
    expect(called('Bash', {}, { verb: 'Run', wish: 'run a command', command: 'npm test\nnpm run build' })).toEqual({
      verb: 'Run',
      wish: 'run a command',
      object: 'npm test',
    })
    expect(called('x', {}, { verb: 'Edit', wish: 'edit 2 files', paths: ['/a', '/b'] }).object).toBe('/a, /b')
    expect(called('x', {}, { verb: 'Edit', paths: ['/a'], object: 'and 3 more' }).object).toBe('/a, and 3 more')
    expect(called('x', {}, { verb: 'Search' })).toEqual({ verb: 'Search', wish: 'use x', object: '' })
  })

  it('[PERM-7.21] of an earlier agent is the name of the tool and the first text of its input', () => {
    const input = { limit: 3, title: 'It crashes\nat noon' }
    expect(called('Bash', { command: 'npm test' })).toEqual({ verb: 'Bash', wish: 'use Bash', object: 'npm test' })
    expect(called('mcp__tickets__create_issue', input)).toEqual({
      verb: 'tickets: create_issue',
      wish: 'use tickets: create_issue',
      object: 'It crashes',
    })
  })

  it.each([undefined, null, 'text', 7, [1, 2], { command: 7 }])('bears the odd input %j', (input) => {
    expect(called('Bash', input)).toEqual({ verb: 'Bash', wish: 'use Bash', object: '' })
  })

  it.each([
    [['/w/p/src/a.ts'], 'src/a.ts'],
    [['/real/p/a.ts'], 'a.ts'],
    [['/w/people/a.ts'], '/w/people/a.ts'],
    [['/w/p'], '/w/p'],
    [['/w/p/'], '/w/p/'],
    [['/w/p/a', '/etc/b'], 'a, /etc/b'],
  ])('calls %j as it is called in the folder of its session: %j', (paths, short) => {
    const words = called('Edit', {}, { verb: 'Edit', paths })
    expect(shortObject(words, ['/real/p/', '/w/p'])).toBe(short)
    expect(shortObject(words, [])).toBe(words.object)
  })

  it('leaves a command as it is', () => {
    const words = called('Bash', {}, { verb: 'Run', command: 'cat /w/p/a.ts' })
    expect(shortObject(words, ['/w/p'])).toBe('cat /w/p/a.ts')
  })
})
