import { Connection, ConnectionOptions, createConnection, RowDataPacket } from 'mysql2';
import { breakOff, socketOf } from './break-off';

/** Errors that do not concern open connections, such as too many connections. */
const isRefusal = ({ code }: NodeJS.ErrnoException): boolean =>
  code?.startsWith('ER_') === true && code !== 'ER_UNKNOWN_COM_ERROR' && code !== 'ER_SERVER_SHUTDOWN';

const PROBE_EVERY_MS = 1_000;
/** Counted in timer ticks, so that a busy process does not consider the database dead. */
const TURNS_WITHOUT_ANSWER = 5;

/** Probes a host every second over a separate connection. */
export class HostProbe {
  private readonly timer: NodeJS.Timeout;
  private connection: Connection | undefined;
  private isAsking = false;
  private turns = 0;

  /**
   * @param sql the probe: returns `OFF` in the column `Value` if the host cannot serve @param report called if the host
   * cannot serve or has not responded for five seconds
   */
  constructor(
    private readonly options: ConnectionOptions,
    private readonly sql: string,
    private readonly report: () => void,
  ) {
    this.timer = setInterval(() => this.turn(), PROBE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.hangUp();
  }

  private turn(): void {
    this.turns += 1;
    if (!this.isAsking) {
      this.ask();
    } else if (this.turns > TURNS_WITHOUT_ANSWER) {
      this.fail();
    }
  }

  private ask(): void {
    const connection = (this.connection ??= this.connect());
    this.isAsking = true;
    this.turns = 0;
    connection.query<RowDataPacket[]>(this.sql, (error, rows) => {
      if (connection !== this.connection) {
        return;
      }
      this.isAsking = false;
      if (error !== null && isRefusal(error)) {
        this.hangUp();
      } else if (error !== null || rows[0]?.Value === 'OFF') {
        this.fail();
      }
    });
  }

  private connect(): Connection {
    const connection = createConnection(this.options);
    // The query gets the error too.
    connection.on('error', () => undefined);
    connection.once('connect', () => socketOf(connection).unref());
    return connection;
  }

  private fail(): void {
    this.hangUp();
    this.report();
  }

  private hangUp(): void {
    const connection = this.connection;
    this.connection = undefined;
    this.isAsking = false;
    if (connection !== undefined) {
      breakOff(connection);
    }
  }
}
