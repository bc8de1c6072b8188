import { useState } from 'preact/hooks'
import { CopyButton } from './CopyButton'
import { invite } from './store'
import { say } from './texts'

/** A link and a QR code to the room, made when they are asked for. */
export function QrInvitation() {
  const [made, setMade] = useState<{ readonly link: string; readonly svg: string } | undefined>(undefined)
  return (
    <details
      onToggle={(event) => {
        if (event.currentTarget.open) void invite(setMade)
      }}
    >
      <summary>{say('invitation')}</summary>
      {made && (
        <div class="qr">
          <img src={`data:image/svg+xml,${encodeURIComponent(made.svg)}`} alt={say('qr')} />
          <p class="hint" translate={false}>
            {made.link}
          </p>
          <CopyButton text={made.link} label={say('copyLink')} />
        </div>
      )}
    </details>
  )
}
