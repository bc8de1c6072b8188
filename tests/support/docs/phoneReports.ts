import { reports } from '@lantern-room/formats/browser'

const COLUMNS = ['gallery', 'phone', 'system', 'result', 'profile', 'what was seen', 'report']

const RESULTS: Readonly<Record<string, string>> = {
  works: 'reported to work',
  fails: 'reported not to work',
  unknown: 'not known',
}

/** The reports as a table, in their order. */
export function renderPhoneReports(): string {
  const rows = reports.map(({ gallery, phone, system, result, profile, what, url, date }) => [
    gallery,
    phone,
    system,
    RESULTS[result] ?? result,
    profile === null ? '' : `\`${profile}\``,
    what,
    `[${date}](${url})`,
  ])
  return [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
