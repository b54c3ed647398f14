import { CodeText } from '../../../ui/text/code-text'
import { PlainText } from '../../../ui/text/plain-text'
import { LongText } from '../text/long-text'
import { shownMembers } from './members'

export interface MembersViewProps {
  members: ReadonlyArray<readonly [name: string, value: unknown]>
  label: string
  complete?: boolean
  keep: string
}

/** Members of an input, unchanged, in the program's own words and types. */
export function MembersView({ members, label, complete = false, keep }: MembersViewProps) {
  const { lines, json } = shownMembers(members)
  return (
    <>
      {lines.length > 0 ? (
        <dl aria-label={label} className="space-y-0.5 font-mono text-xs">
          {lines.map(([name, value]) => (
            <div key={name} className="flex flex-wrap gap-x-2">
              <dt className="text-ink-3">
                <PlainText>{`${name}:`}</PlainText>
              </dt>
              <dd className="min-w-0 text-ink-2 [overflow-wrap:anywhere]">
                <CodeText>{value}</CodeText>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {json === null ? null : <LongText text={json} label={label} complete={complete} code keep={keep} />}
    </>
  )
}
