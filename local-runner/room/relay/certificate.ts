import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Clock } from '#core/async/clock'
import { ServiceError } from '#core/errors'
import type { Log } from '#core/log'

/** A certificate with its chain, and its private key, both as PEM. */
export type CertificatePair = { readonly cert: string; readonly key: string }

export type CertificateFiles = {
  current(): CertificatePair
  /** Calls back with each new pair, until `close`. */
  onRenewed(listener: (pair: CertificatePair) => void): void
  close(): void
}

/** Certificates are renewed days before they end. */
const READ_EVERY_MS = 60_000

/**
 * Reads both files, and again every minute. A pair that does not fit together, as between the writing of one and the other,
 * is left until the next time.
 * @throws ServiceError `unavailable` that names the settings
 */
export async function openCertificateFiles(
  files: { readonly certFile: string; readonly keyFile: string },
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<CertificateFiles> {
  let pair = await readPair(files).catch((cause: unknown) => {
    throw new ServiceError(
      'unavailable',
      `The certificate ${files.certFile} and the key ${files.keyFile} cannot be used. ROOM_RELAY_TLS_CERT and ROOM_RELAY_TLS_KEY name files of PEM, and the key has to fit the certificate.`,
      { cause },
    )
  })
  let listener: (next: CertificatePair) => void = () => {}
  let isClosed = false
  let isFailing = false
  let cancel = clock.after(READ_EVERY_MS, again)
  return {
    current: () => pair,
    onRenewed(next) {
      listener = next
    },
    close() {
      isClosed = true
      cancel()
    },
  }

  async function renew(): Promise<void> {
    try {
      const next = await readPair(files)
      isFailing = false
      if (isClosed || (next.cert === pair.cert && next.key === pair.key)) return
      pair = next
      listener(next)
      log.info('the certificate was renewed')
    } catch {
      if (!isFailing) log.warn('the certificate or its key cannot be used; the earlier one is kept', files)
      isFailing = true
    }
  }

  function again(): void {
    void renew().then(() => {
      if (!isClosed) cancel = clock.after(READ_EVERY_MS, again)
    })
  }
}

async function readPair(files: { readonly certFile: string; readonly keyFile: string }) {
  const [cert, key] = await Promise.all([readFile(files.certFile, 'utf8'), readFile(files.keyFile, 'utf8')])
  createSecureContext({ cert, key })
  return { cert, key }
}
