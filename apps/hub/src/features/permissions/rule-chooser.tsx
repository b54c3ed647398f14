'use client'
import type { FolderRuleOffer } from '@roundhouse/backend-types'
import { PlainText } from '../../ui/text/plain-text'
import { ScopeChooser } from './scope-chooser'

interface RuleChooserProps {
  offer: FolderRuleOffer
  disabled: boolean
  onAllow: (scopeId: string) => void
  onBack: () => void
}

const DAY_MS = 86_400_000

/** Chooses what the machine always allows in a folder, with the folder and the day on which that ends. */
export function RuleChooser({ offer: { folder, lifeMs, scopes }, disabled, onAllow, onBack }: RuleChooserProps) {
  const until = new Date(Date.now() + lifeMs).toLocaleDateString(undefined, { dateStyle: 'medium' })
  return (
    <ScopeChooser
      label="Always allow here"
      legend={
        <>
          In all sessions of this program in{' '}
          <span className="font-mono text-xs">
            <PlainText>{folder}</PlainText>
          </span>
          , always allow
        </>
      }
      until={`For ${Math.round(lifeMs / DAY_MS)} days, until ${until}. The machine keeps the rule; you can revoke it here or on the Machines page.`}
      scopes={scopes}
      disabled={disabled}
      onAllow={onAllow}
      onBack={onBack}
    />
  )
}
