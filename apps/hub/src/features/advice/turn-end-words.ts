/** Describes every end of a turn in a plain sentence, with what the person can do next. Pure and exhaustive. */
import type { CodedReason, TurnEnd } from '@roundhouse/backend-types'
import { dayTime } from '../../ui/text/time'
import { errorSentence, nextStep } from './what-next'

export interface TurnEndWords {
  label: string
  tone: 'quiet' | 'failed'
  /** Absent if the turn simply finished. */
  next?: string
}

const words: Record<TurnEnd, TurnEndWords> = {
  completed: { label: 'Done', tone: 'quiet' },
  interrupted: { label: 'Stopped', tone: 'quiet', next: 'Your next prompt continues from here.' },
  failed: {
    label: 'Failed',
    tone: 'failed',
    next: 'What it did before stays. Send the prompt again to try once more.',
  },
  process_exited: {
    label: 'The program ended during this turn',
    tone: 'failed',
    next: 'What it did before stays. The next prompt, or Resume, continues the same conversation.',
  },
  max_turns: {
    label: 'Reached the limit of steps for one turn',
    tone: 'failed',
    next: 'Send “continue” to let it go on.',
  },
  budget: {
    label: 'Reached the budget',
    tone: 'failed',
    next: 'Nothing more is spent. Raise the budget on the machine, or start a new session.',
  },
  outcome_unknown: {
    label: 'How this turn ended is unknown',
    tone: 'failed',
    next: 'The prompt had been handed over when the program was lost: it may have been carried out. Look at the folder before you send it again.',
  },
}

export function turnEndWords({ reason, error }: { reason: TurnEnd; error?: CodedReason | undefined }): TurnEndWords {
  const plain = words[reason]
  if (!error) return plain
  const ends = error.resetsAt === undefined ? '' : `The limit ends ${dayTime(error.resetsAt)}.`
  const next = [errorSentence(error), ends, nextStep(error) ?? plain.next].filter(Boolean).join(' ')
  return { ...plain, next }
}
