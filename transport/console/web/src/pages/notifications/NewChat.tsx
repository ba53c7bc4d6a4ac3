import {Anchor, Button, Group, PasswordInput, Radio, Stack, Text, TextInput} from "@mantine/core";
import {useState} from "react";
import {call} from "../../api/client";
import type {Bot, Chat, CheckResult, Endpoint, Items} from "../../api/types";
import {useSession} from "../../app/session";
import {useStepUp} from "../../app/step-up";
import {TestEvent} from "../../outbound/TestEvent";
import {useSubmit} from "../../ui/form";
import {Failure} from "../../ui/Panel";
import {Findings} from "../accounts/Findings";
import {Types} from "../endpoints/Types";
import styles from "./Notifications.module.css";
import {Wizard} from "./Wizard";
import {adviceOf} from "./words";

interface Props {
  readonly opened: boolean;
  readonly close: () => void;
  readonly created: () => void;
}

/** What the steps before have given. */
interface Draft {
  readonly token: string;
  readonly bot: Bot;
  readonly target: string;
}

/** NewChat sets up messages of a bot to a chat: the bot, the chat, the events, a test message. */
export function NewChat(props: Props) {
  const [step, setStep] = useState(0);
  const close = () => {
    setStep(0);
    props.close();
  };
  return (
    <Wizard opened={props.opened} close={close} title="New chat" steps={["Bot", "Chat", "Events", "Test"]} step={step}>
      <Steps {...props} close={close} step={step} setStep={setStep}/>
    </Wizard>
  );
}

function Steps({step, setStep, close, created}: Props & {step: number; setStep: (step: number) => void}) {
  const [draft, setDraft] = useState<Draft>();
  const [made, setMade] = useState<Endpoint>();
  if (made) return (
    <>
      <Text>The chat receives messages from now on. A test message shows whether they arrive.</Text>
      <TestEvent id={made.id} button="Send a test message"/>
      <Group justify="flex-end"><Button onClick={close}>Close</Button></Group>
    </>
  );
  if (step === 0 || !draft) return <BotStep close={close} found={(token, bot) => {
    setDraft({token, bot, target: ""});
    setStep(1);
  }}/>;
  if (step === 1) return <ChatStep draft={draft} back={() => setStep(0)} listed={(bot) => setDraft({...draft, bot})} chosen={(target) => {
    setDraft({...draft, target});
    setStep(2);
  }}/>;
  return <EventsStep draft={draft} back={() => setStep(1)} made={(endpoint) => {
    setMade(endpoint);
    setStep(3);
    created();
  }}/>;
}

function readBot(customer: string, secret: string): Promise<Bot> {
  return call<Bot>("POST", "telegram/chats", {customer, secret});
}

function BotStep({close, found}: {close: () => void; found: (token: string, bot: Bot) => void}) {
  const {customer} = useSession();
  const [token, setToken] = useState("");
  const {busy, failure, submit} = useSubmit(async () => found(token.trim(), await readBot(customer, token.trim())));
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>In Telegram write <code className="mono">/newbot</code> to @BotFather, and paste the token of its answer here. It is stored sealed and never shown again.</Text>
        <PasswordInput label="Token of the bot" required autoComplete="off" maxLength={200} value={token} onChange={(e) => setToken(e.currentTarget.value)} data-autofocus/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={busy} disabled={token.trim() === ""}>Check the token</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Not one of the listed chats. */
const OTHER = "other";

interface ChatStepProps {
  readonly draft: Draft;
  readonly back: () => void;
  readonly listed: (bot: Bot) => void;
  readonly chosen: (target: string) => void;
}

function ChatStep({draft: {token, bot, target}, back, listed, chosen}: ChatStepProps) {
  const {customer} = useSession();
  const [choice, setChoice] = useState(target === "" ? bot.items.find(({missing}) => missing === "")?.target : target);
  const [typed, setTyped] = useState("");
  const [findings, setFindings] = useState<readonly CheckResult[]>();
  const look = useSubmit(async () => {
    setFindings(undefined);
    const again = await readBot(customer, token);
    listed(again);
    if (choice === undefined) setChoice(again.items.find(({missing}) => missing === "")?.target);
  });
  const to = choice === OTHER ? typed.trim() : choice ?? "";
  const check = useSubmit(async () => {
    const {items} = await call<Items<CheckResult>>("POST", "endpoints/examine", {customer, kind: "telegram", target: to, secret: token});
    setFindings(items);
    if (items.every(({status}) => status === "ok")) chosen(to);
  });
  const choose = (value: string) => {
    setChoice(value);
    setFindings(undefined);
  };
  return (
    <form onSubmit={check.submit}>
      <Stack>
        <Text>The bot is <strong className="outside">{bot.name}</strong>, <Bare username={bot.username}/>. Write something to it, or add it to a group as an administrator; then look again.</Text>
        {bot.notListed !== "" && <Text role="status" className="outside">Its chats cannot be listed: {bot.notListed}. Give the id of the chat.</Text>}
        <Radio.Group label="Chat" description="Those that wrote to the bot within the last day." value={choice ?? null} onChange={choose}>
          <Stack gap="xs" mt={6}>
            {bot.items.map((chat) => <Choice key={chat.target} chat={chat} username={bot.username}/>)}
            {bot.items.length === 0 && bot.notListed === "" && <Text c="dimmed" role="status">Nobody has written to the bot yet.</Text>}
            <Radio value={OTHER} label="Another chat"/>
          </Stack>
        </Radio.Group>
        {choice === OTHER && <TextInput label="Id of the chat" description="Or the @name of a public group or channel." placeholder="-1001234567890" required maxLength={64}
          value={typed} onChange={(e) => setTyped(e.currentTarget.value)}/>}
        {findings && <div role="status" aria-label="What was found"><Findings results={findings.filter(({status}) => status !== "ok")} names={{secret: "Token", target: "Chat"}}/></div>}
        {(check.failure ?? look.failure) && <Failure error={(check.failure ?? look.failure) as Error}/>}
        <Group justify="space-between">
          <Button variant="default" onClick={look.run} loading={look.busy}>Look again</Button>
          <Group><Button variant="default" onClick={back}>Back</Button><Button type="submit" loading={check.busy} disabled={to === ""}>To the events</Button></Group>
        </Group>
      </Stack>
    </form>
  );
}

function Bare({username}: {username: string}) {
  return <Anchor href={`https://t.me/${encodeURIComponent(username)}`} target="_blank" rel="noreferrer" className="mono">@{username}</Anchor>;
}

function Choice({chat, username}: {chat: Chat; username: string}) {
  const advice = adviceOf(chat, username);
  return <Radio value={chat.target} label={<><span className="outside">{chat.title || chat.target}</span> <span className="dim">{chat.kind}{chat.kind !== "private" && !advice && ", administrator"}</span></>}
    description={advice && <span className={styles.missing}>{advice}</span>}/>;
}

const NAME_CHARACTERS = 64;

function shortened(title: string): string {
  return [...title].slice(0, NAME_CHARACTERS).join("");
}

function EventsStep({draft: {token, target, bot}, back, made}: {draft: Draft; back: () => void; made: (endpoint: Endpoint) => void}) {
  const {customer} = useSession();
  const stepUp = useStepUp();
  const [name, setName] = useState(() => shortened(bot.items.find((chat) => chat.target === target)?.title ?? ""));
  const [types, setTypes] = useState<string[]>([]);
  const {busy, failure, submit} = useSubmit(async () => made(await stepUp(() => call<Endpoint>("POST", "endpoints", {
    customer, kind: "telegram", target, secret: token, name: name.trim(), types,
  }))));
  return (
    <form onSubmit={submit}>
      <Stack>
        <Types kind="telegram" value={types} change={setTypes}/>
        <TextInput label="Name" description="What it is called in the console." maxLength={NAME_CHARACTERS} value={name} onChange={(e) => setName(e.currentTarget.value)}/>
        {failure && <Failure error={failure}/>}
        <Group justify="flex-end">
          <Button variant="default" onClick={back} disabled={busy}>Back</Button>
          <Button type="submit" loading={busy}>Send to this chat</Button>
        </Group>
      </Stack>
    </form>
  );
}
