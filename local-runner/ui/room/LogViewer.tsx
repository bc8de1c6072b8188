import { useState } from 'preact/hooks'
import type { LogLevel } from '#core/log'
import { lines } from './service/store'
import { downloadLog } from './service/troubleshooting'
import { chosenLines } from './state/logLines'
import type { LogLine } from './state/records'
import { say } from './words/texts'

const SHOWN = 200

export function LogViewer() {
  const [least, setLeast] = useState<LogLevel>('info')
  const [words, setWords] = useState('')
  const [paused, setPaused] = useState<readonly LogLine[] | undefined>(undefined)
  const shown = chosenLines(paused ?? lines.value, least, words).slice(-SHOWN)
  return (
    <details class="card">
      <summary>
        <h2>{say('log')}</h2>
      </summary>
      <div class="row tools">
        <label class="field">
          <span>{say('logLevel')}</span>
          <select value={least} onChange={(event) => setLeast(event.currentTarget.value as LogLevel)}>
            <option value="info">{say('logAll')}</option>
            <option value="warn">{say('logWarnings')}</option>
            <option value="error">{say('logErrors')}</option>
          </select>
        </label>
        <label class="field grow">
          <span>{say('logFilter')}</span>
          <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
        <button
          type="button"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused === undefined ? lines.value : undefined)}
        >
          {say(paused === undefined ? 'logPause' : 'logGo')}
        </button>
        <button type="button" title={say('logDownloadHint')} onClick={() => void downloadLog()}>
          {say('logDownload')}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section class="log" tabIndex={0} aria-label={say('log')}>
        {shown.length === 0 && <p class="empty">{say('logNone')}</p>}
        {[...shown].reverse().map((line) => (
          <p key={`${line.timestamp} ${line.index}`} class={line.level}>
            <time dateTime={line.timestamp}>{new Date(line.timestamp).toLocaleTimeString()}</time>{' '}
            <b>{line.level}</b> {line.message}
          </p>
        ))}
      </section>
      <p class="hint">{say('logDownloadHint')}</p>
    </details>
  )
}
