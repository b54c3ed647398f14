'use client'
import { Dialog } from '../../ui/overlays/dialog'
import { places } from './places'

const groups: Array<{ title: string; keys: Array<[keys: string, what: string]> }> = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Command palette'],
      ...places.map(({ letter, label }): [string, string] => [`g ${letter}`, label]),
      ['n', 'New session'],
      ['j k', 'Next, previous'],
      ['Enter', 'Open'],
      ['?', 'Keyboard shortcuts'],
    ],
  },
  {
    title: 'Permission request',
    keys: [
      ['a', 'Allow'],
      ['s', 'Allow for session (1–9 choose what it covers)'],
      ['f', 'Always allow in this folder'],
      ['e', 'Edit it, then allow'],
      ['d', 'Deny, with a reason'],
      ['1 to 9', 'Choose an option of a question or a plan'],
      ['Enter', 'Send the answer to a question'],
      ['x', 'Stop turn'],
      ['j k', 'Next, previous request'],
    ],
  },
  {
    title: 'A session',
    keys: [
      ['c', 'Write a prompt'],
      ['Enter', 'Send, or queue'],
      ['Shift Enter', 'New line'],
      ['Ctrl Enter', 'Steer the current turn'],
      ['↑', 'Previous prompts'],
      ['Esc', 'From the empty composer to the request'],
      ['Esc Esc', 'Stop turn'],
      ['Ctrl F', 'Find'],
    ],
  },
]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title="Keyboard shortcuts">
      <div className="gap-x-8 sm:columns-2">
        {groups.map(({ title, keys }) => (
          <section key={title} className="mb-4 break-inside-avoid">
            <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{title}</h3>
            <dl className="space-y-1 text-sm">
              {keys.map(([key, what]) => (
                <div key={`${key}${what}`} className="flex items-baseline justify-between gap-3">
                  <dt className="order-2 shrink-0 space-x-1">
                    {key.split(' ').map((each, index) => (
                      <kbd
                        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may stand twice
                        key={index}
                        className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-ink-2 text-xs"
                      >
                        {each}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="text-ink-3 text-xs">On a Mac, Ctrl is ⌘. Single-letter shortcuts do not work while you type.</p>
    </Dialog>
  )
}
