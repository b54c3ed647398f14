import { describe, expect, it } from 'vitest'
import { terminalCommand } from './terminal-command'

const of = (workDir: string, backendSessionId?: string) => ({
  settings: { backend: 'claude', workDir },
  ...(backendSessionId === undefined ? {} : { backendSessionId }),
})
const claude = { terminalResume: 'claude --resume {id}' }

describe('[RES-9.15] the way back to a terminal', () => {
  it('goes to the folder, and continues the conversation there', () => {
    expect(terminalCommand(of('/home/ana/app', 'c1b2-33'), claude)).toBe('cd /home/ana/app && claude --resume c1b2-33')
  })

  it('goes to the real folder where the session was started through a link', () => {
    const view = { ...of('/home/ana/link', 'c1'), realWorkDir: '/data/app' }
    expect(terminalCommand(view, claude)).toBe('cd /data/app && claude --resume c1')
  })

  it.each([
    ["/home/ana/it's here", `'/home/ana/it'\\''s here'`],
    ['/tmp/$(touch x)', "'/tmp/$(touch x)'"],
  ])('takes %s as one word', (folder, word) => {
    expect(terminalCommand(of(folder, 'c1'), claude)).toBe(`cd ${word} && claude --resume c1`)
  })

  it('keeps an id that is no plain word from being more than one', () => {
    expect(terminalCommand(of('/a', 'x; $&curl y'), claude)).toBe("cd /a && claude --resume 'x; $&curl y'")
  })

  it('is none before the program named the conversation, and for a program without such a command', () => {
    expect(terminalCommand(of('/a'), claude)).toBeNull()
    expect(terminalCommand(of('/a', 'c1'), {})).toBeNull()
    expect(terminalCommand(of('/a', 'c1'), undefined)).toBeNull()
  })
})
