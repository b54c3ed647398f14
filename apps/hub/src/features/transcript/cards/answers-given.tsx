'use client'
import { PlainText } from '../../../ui/text/plain-text'
import { type Answered, givenAnswers } from '../items/given-answers'

/** The questions that were asked, each with its answer. */
export function AnswersGiven({ answered }: { answered: Answered }) {
  const given = givenAnswers(answered)
  if (given.length === 0) return null
  return (
    <dl data-testid="answers-given" className="space-y-1 text-sm [overflow-wrap:anywhere]">
      {given.map(({ name, question, answer }) => (
        <div key={name}>
          <dt className="text-ink-3 text-xs">
            <PlainText>{question}</PlainText>
          </dt>
          <dd className="line-clamp-6 whitespace-pre-wrap">
            <PlainText>{answer}</PlainText>
          </dd>
        </div>
      ))}
    </dl>
  )
}
