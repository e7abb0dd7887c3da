// See signals.h.
#include "runtime/signals.h"

#include "runtime/lane_scheduler.h"

#include <mutex>

namespace assay::runtime {
namespace {

constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int kSignals = 65;

thread_local LaneScheduler *currentScheduler = nullptr;
struct sigaction previousAction[kSignals];
int chosenSignal = 0;

// Does what would have happened without us.
void passOn(int signal, siginfo_t *info, void *context) {
  const struct sigaction &previous = previousAction[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_IGN && info->si_code <= 0) { // sent, not caused: may be ignored
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    ::signal(signal, SIG_DFL); // the instruction runs again and ends the process
    if (info->si_code <= 0)
      raise(signal);
  } else {
    previous.sa_handler(signal);
  }
}

void handle(int signal, siginfo_t *info, void *context) {
  const int savedErrno = errno;
  LaneScheduler *scheduler = currentScheduler;
  const bool sent = info->si_code <= 0 && signal != chosenSignal; // by kill(): not caused by an instruction
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  const bool taken =
      scheduler && !sent && scheduler->takeSignal(signal, address, *static_cast<ucontext_t *>(context));
  if (!taken && signal != chosenSignal)
    passOn(signal, info, context);
  errno = savedErrno;
}

// The highest real-time signal that nobody uses yet.
int freeSignal() {
  for (int signal = SIGRTMAX; signal > SIGRTMIN; --signal) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
      return signal;
  }
  return SIGRTMAX;
}

void install(int signal) {
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &previousAction[signal]);
}

} // namespace

void installSignalHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    chosenSignal = freeSignal();
    install(chosenSignal);
    for (int signal : kFaultSignals)
      install(signal);
  });
}

int interruptSignal() {
  return chosenSignal;
}

SignalScope::SignalScope(LaneScheduler &scheduler, std::byte *alternateStack)
    : previousScheduler_(currentScheduler) {
  thread_local bool unblocked = false;
  if (!unblocked) { // a host may block all signals in the threads that it starts
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, chosenSignal);
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
    unblocked = true;
  }
  stack_t stack{};
  stack.ss_sp = alternateStack;
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, &previousStack_);
  currentScheduler = &scheduler;
}

SignalScope::~SignalScope() {
  currentScheduler = previousScheduler_;
  previousStack_.ss_flags &= SS_DISABLE;
  sigaltstack(&previousStack_, nullptr);
}

} // namespace assay::runtime
